package dev.blobshuffle.messaging.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DifferencesTest {
    @Test
    void documentHasTheList() throws Exception {
        assertThat(Files.readString(Path.of("../docs/differences.md")))
                .as("docs/differences.md: replace the chapter on messaging with\n%s", Differences.chapter())
                .contains(Differences.chapter());
    }
}
