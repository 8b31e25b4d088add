package dev.blobshuffle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.version.Supported;
import dev.blobshuffle.core.internal.version.Versions;
import dev.blobshuffle.kafka.internal.client.KafkaVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Checks that the table of versions in docs/compatibility.md equals the table in the code. */
class VersionsPageTest {
    private static final Path PAGE = Path.of("..", "docs", "compatibility.md");
    private static final String START = "<!-- versions -->\n";
    private static final String END = "<!-- /versions -->";

    @Test
    void thePageSaysWhatTheTableSays() throws IOException {
        String page = Files.readString(PAGE);
        String expected = page.substring(0, page.indexOf(START)) + START + table() + page.substring(page.indexOf(END));
        if (Boolean.getBoolean("docs.update")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(PAGE)
                .as("docs/compatibility.md is what versions.txt says; update it: ./mvnw -q -Pquick -pl cli -am test"
                        + " -Dtest=VersionsPageTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.update=true")
                .hasContent(expected);
    }

    @Test
    void theClientsOfKafkaCheckTheSameRange() {
        Supported kafka = Versions.of("org.apache.kafka:kafka-clients");
        assertThat(kafka.oldest()).isEqualTo(KafkaVersion.OLDEST);
        assertThat(kafka.newest()).isEqualTo(KafkaVersion.NEWEST);
    }

    private static String table() {
        StringBuilder table = new StringBuilder("""

                | what | Maven artifact | oldest | newest | run in every build | besides, by `make nightly` |
                |---|---|---|---|---|---|
                """);
        for (Supported line : Versions.table()) {
            table.append("| ")
                    .append(line.name())
                    .append(" | ")
                    .append(line.artifact()
                            .map(artifact -> "`" + artifact + "`")
                            .orElse(""))
                    .append(" | ")
                    .append(line.oldest())
                    .append(" | ")
                    .append(line.newest())
                    .append(" | ")
                    .append(line.everyBuild())
                    .append(" | ")
                    .append(line.nightly())
                    .append(" |\n");
        }
        return table.append("\n").toString();
    }
}
