package dev.blobshuffle.core.internal.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class PrivateFilesTest {
    @TempDir
    Path directory;

    private Path secret(String permissions) throws Exception {
        Path file = directory.resolve("secret");
        PrivateFiles.write(file, "0123456789abcdef");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        return file;
    }

    @Test
    void aSecretThatGroupOrOthersCanReadOrChangeIsRefused() throws Exception {
        for (String permissions : new String[] {"rw-r-----", "rw----r--", "rw-rw-rw-", "rw--w----", "rw-----w-"}) {
            Path file = secret(permissions);
            assertThatThrownBy(() -> PrivateFiles.check(file))
                    .as(permissions)
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining(permissions)
                    .hasMessageContaining("chmod 600")
                    .hasMessageNotContaining("0123456789");
        }
        for (String permissions : new String[] {"rw-------", "r--------"}) {
            Path file = secret(permissions);
            assertThatCode(() -> PrivateFiles.check(file)).as(permissions).doesNotThrowAnyException();
        }
    }

    @Test
    void aWrittenFileIsPrivateWhateverWasThere() throws Exception {
        Path file = secret("rw-rw-rw-");
        PrivateFiles.write(file, "fedcba9876543210");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(file).hasContent("fedcba9876543210");
    }
}
