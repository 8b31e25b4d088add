package dev.blobshuffle.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.store.StoreFinding.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EncryptionAdviceTest {
    private static final String KEY = Base64.getEncoder().encodeToString(new byte[32]);

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void writeKeys() throws IOException {
        file = Files.writeString(directory.resolve("keys"), "one " + KEY + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void anApplicationWithoutKeysIsSound() {
        assertThat(EncryptionAdvice.of(Map.of()).level()).isEqualTo(Level.OK);
    }

    @Test
    void aKeyThatIsHereIsSound() {
        Finding finding = with("one");
        assertThat(finding.level()).isEqualTo(Level.OK);
        assertThat(finding.what()).contains("'one' is here");
    }

    @Test
    void aKeyThatIsMissingIsAnError() {
        Finding finding = with("two");
        assertThat(finding.level()).isEqualTo(Level.ERROR);
        assertThat(finding.toString()).contains("'two'", "does not have it").doesNotContain(KEY);
        assertThat(finding.remedy().orElseThrow()).contains("Add the key");
    }

    @Test
    void aFileThatOthersCanReadIsAnError() throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Finding finding = with("one");
        assertThat(finding.level()).isEqualTo(Level.ERROR);
        assertThat(finding.toString()).contains("chmod 600");
    }

    @Test
    void writingPlainBlobsIsAHint() {
        Finding finding = with("none");
        assertThat(finding.level()).isEqualTo(Level.HINT);
        assertThat(finding.remedy().orElseThrow()).contains("blobshuffle.encryption.key.id");
    }

    private Finding with(String id) {
        return EncryptionAdvice.of(
                Map.of("blobshuffle.encryption.keys", file.toUri().toString(), "blobshuffle.encryption.key.id", id));
    }
}
