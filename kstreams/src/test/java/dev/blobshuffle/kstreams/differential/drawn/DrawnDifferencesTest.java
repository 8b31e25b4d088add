package dev.blobshuffle.kstreams.differential.drawn;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DrawnDifferencesTest {
    @Test
    void documentHasTheList() throws Exception {
        assertThat(Files.readString(Path.of("../docs/differences.md")))
                .as("docs/differences.md: replace the chapter on Kafka Streams with\n%s", DrawnDifferences.chapter())
                .contains(DrawnDifferences.chapter());
    }
}
