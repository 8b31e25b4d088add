package dev.blobshuffle.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A page of {@code docs/} that is generated from constants. It is checked against them, or written
 * again with {@code -Ddocs.update=true}.
 */
public final class GeneratedPage {
    private GeneratedPage() {}

    /** Checks that the page matches the constants. */
    public static void check(String name, Class<?> test, String content) throws IOException {
        Path page = Path.of("..", "docs", name);
        if (Boolean.getBoolean("docs.update")) {
            Files.createDirectories(Path.of("..", "docs"));
            Files.writeString(page, content);
        }
        String command = "./mvnw -q -pl core test -Dtest=" + test.getSimpleName() + " -Ddocs.update=true";
        assertThat(page)
                .withFailMessage("docs/%s is missing. Write it: %s", name, command)
                .exists();
        assertThat(Files.readString(page))
                .withFailMessage("docs/%s is not what the constants say. Update it: %s", name, command)
                .isEqualTo(content);
    }

    /** A text escaped for a table cell. */
    public static String cell(String text) {
        return text.replace("|", "\\|");
    }
}
