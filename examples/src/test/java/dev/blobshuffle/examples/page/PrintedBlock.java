package dev.blobshuffle.examples.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * A block of a page.
 *
 * @param page its path in the project
 * @param line its first line in the page
 * @param language after the fence; {@code ""} for an indented block
 * @param text what a reader copies
 */
record PrintedBlock(String page, int line, String language, String text) {
    PrintedBlock with(String replaced) {
        return new PrintedBlock(page, line, language, replaced);
    }

    String place() {
        return page + ":" + line;
    }

    /** Leaves a command out that cannot run here, with the lines that continue it. */
    PrintedBlock without(String command, String reason) {
        assertThat(reason).isNotBlank();
        List<String> kept = new ArrayList<>();
        boolean isLeft = false;
        boolean isContinued = false;
        for (String line : text.lines().toList()) {
            boolean isOut = isContinued || line.startsWith(command);
            isLeft |= isOut;
            isContinued = isOut && line.endsWith("\\");
            if (!isOut) {
                kept.add(line);
            }
        }
        assertThat(isLeft).as("%s has the command %s", place(), command).isTrue();
        return with(String.join("\n", kept));
    }

    /** The settings of a block of properties. */
    Map<String, String> settings() throws IOException {
        Properties properties = new Properties();
        properties.load(new StringReader(text));
        Map<String, String> settings = new HashMap<>();
        properties.stringPropertyNames().forEach(name -> settings.put(name, properties.getProperty(name)));
        assertThat(settings).as(place()).isNotEmpty();
        return settings;
    }
}
