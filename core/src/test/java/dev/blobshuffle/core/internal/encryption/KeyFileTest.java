package dev.blobshuffle.core.internal.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.blobshuffle.core.failure.InvalidSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFileTest {
    private static final String ONE = Base64.getEncoder().encodeToString(new byte[32]);

    @TempDir
    private Path directory;

    @Test
    void keysAreFoundById() throws IOException {
        Path file = file("# ours\n\none " + ONE + "\ntwo.2026-11 " + ONE.replace('A', 'B') + "\n", "rw-------");
        KeyFile keys = new KeyFile(file);
        assertThat(keys.key("one")).contains(new byte[32]);
        assertThat(keys.key("two.2026-11")).isPresent().isNotEqualTo(keys.key("one"));
        assertThat(keys.key("three")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----", "rw-----w-"})
    void aFileThatOthersCanReadOrWriteIsRefused(String permissions) throws IOException {
        Path file = file("one " + ONE + "\n", permissions);
        assertThatExceptionOfType(InvalidSettings.class)
                .isThrownBy(() -> new KeyFile(file))
                .withMessageContaining("chmod 600");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"one", "one short", "one c2hvcnQ=", "one %s more", "none %s", "bad/id %s", "one %s\none %s"})
    void aWrongLineIsRefusedWithoutShowingIt(String lines) throws IOException {
        Path file = file(lines.replace("%s", ONE), "rw-------");
        assertThatExceptionOfType(InvalidSettings.class)
                .isThrownBy(() -> new KeyFile(file))
                .withMessageContaining("line ")
                .withMessageNotContaining(ONE)
                .withMessageNotContaining("c2hvcnQ");
    }

    @Test
    void aKeyThatIsAddedLaterIsFoundWithoutARestart() throws IOException {
        Path file = file("one " + ONE + "\n", "rw-------");
        Keyring keys = Keyring.open(Optional.of(file.toUri().toString()), Optional.of("one"));
        assertThatExceptionOfType(InvalidSettings.class)
                .isThrownBy(() -> keys.require("two"))
                .withMessageContaining("Add the key");
        Files.writeString(file, "one " + ONE + "\ntwo " + ONE + "\n");
        Files.setLastModifiedTime(file, FileTime.fromMillis(1));
        keys.require("two");
    }

    @Test
    void sourceAndIdAreGivenTogether() throws IOException {
        Optional<String> source =
                Optional.of(file("one " + ONE, "rw-------").toUri().toString());
        assertThatExceptionOfType(InvalidSettings.class)
                .isThrownBy(() -> Keyring.open(source, Optional.empty()))
                .withMessageContaining("encryption.key.id");
        assertThatExceptionOfType(InvalidSettings.class)
                .isThrownBy(() -> Keyring.open(Optional.empty(), Optional.of("one")))
                .withMessageContaining("encryption.keys");
        assertThatExceptionOfType(InvalidSettings.class)
                .isThrownBy(() -> Keyring.open(source, Optional.of("two")))
                .withMessageContaining("does not have it");
        assertThat(Keyring.open(source, Optional.of("one")).writing()).contains("one");
        assertThat(Keyring.open(source, Optional.of("none")).writing()).isEmpty();
    }

    private Path file(String text, String permissions) throws IOException {
        Path file = Files.writeString(directory.resolve("keys"), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }
}
