package dev.blobshuffle.flink.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.settings.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The table of settings in the guide. */
class FlinkSettingsReferenceTest {
    private static final Path PAGE = Path.of("..", "docs", "guides", "flink.md");
    private static final String START = "<!-- settings -->\n";
    private static final String END = "<!-- /settings -->\n";

    @Test
    void theGuideSaysWhatTheSettingsSay() throws IOException {
        String page = Files.readString(PAGE);
        StringBuilder table = new StringBuilder("\n| Name | Default | Form | Meaning |\n|---|---|---|---|\n");
        for (Setting<?> setting : new FlinkSettings().settings()) {
            table.append("| `")
                    .append(setting.name().substring(Setting.PREFIX.length()))
                    .append("` | ")
                    .append(setting.defaultText())
                    .append(" | ")
                    .append(setting.form())
                    .append(" | ")
                    .append(setting.doc())
                    .append(" |\n");
        }
        String expected = page.substring(0, page.indexOf(START) + START.length())
                + table.append('\n')
                + page.substring(page.indexOf(END));
        if (Boolean.getBoolean("docs.update")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(PAGE)
                .as(
                        "the guide's table is what the settings say; update it: ./mvnw -q -Pquick -pl flink -am test"
                                + " -Dtest=FlinkSettingsReferenceTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.update=true")
                .hasContent(expected);
    }
}
