package dev.blobshuffle.core.internal.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.blobshuffle.core.encryption.KeyProviderFactory;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFileTest {
    private static final String ONE = Base64.getEncoder().encodeToString(new byte[32]);

    @TempDir
    private Path directory;

    @Test
    void keysOfKmsNeedTheirArtifact() {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(
                        () -> Keyring.open(Optional.of("aws-kms:/etc/keys?region=eu-central-1"), Optional.of("one")))
                .withMessageContaining("dev.blobshuffle:blobshuffle-aws-kms is not on the class path")
                .withMessageContaining("merge all files META-INF/services/" + KeyProviderFactory.class.getName());
    }

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
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> new KeyFile(file))
                .withMessageContaining("chmod 600");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"one", "one short", "one c2hvcnQ=", "one %s more", "none %s", "bad/id %s", "one %s\none %s"})
    void aWrongLineIsRefusedWithoutShowingIt(String lines) throws IOException {
        Path file = file(lines.replace("%s", ONE), "rw-------");
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> new KeyFile(file))
                .withMessageContaining("line ")
                .withMessageNotContaining(ONE)
                .withMessageNotContaining("c2hvcnQ");
    }

    @Test
    void aKeyThatIsAddedLaterIsFoundWithoutARestart() throws IOException {
        Path file = file("one " + ONE + "\n", "rw-------");
        Keyring keys = Keyring.open(Optional.of(file.toUri().toString()), Optional.of("one"));
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> keys.require("two"))
                .withMessageContaining("Add the key");
        Files.writeString(file, "one " + ONE + "\ntwo " + ONE + "\n");
        Files.setLastModifiedTime(file, FileTime.fromMillis(1));
        keys.require("two");
    }

    @Test
    void rightsThatAreMendedAreSeenThoughTheModificationTimeStays() throws IOException {
        Path file = file("one " + ONE + "\n", "rw-------");
        KeyFile keys = new KeyFile(file);
        FileTime before = Files.getLastModifiedTime(file);
        Files.writeString(file, "one " + ONE + "\ntwo " + ONE + "\n");
        allow(file, "rw-r--r--");
        Files.setLastModifiedTime(file, before);
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> keys.key("two"))
                .withMessageContaining("chmod 600");
        assertThat(keys.key("one")).as("a key that was read before").isPresent();

        allow(file, "rw-------");
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(before);
        assertThat(keys.key("two")).isPresent();
    }

    /** Kubernetes updates a mounted secret by replacing a link to a directory. */
    @Test
    void fileThatIsReplacedThroughALinkIsReadAgain() throws IOException {
        for (String version : List.of("v1", "v2")) {
            Path file = Files.createDirectory(directory.resolve(version)).resolve("keys");
            Files.writeString(file, ("v1".equals(version) ? "one " : "two ") + ONE + "\n");
            Files.setLastModifiedTime(allow(file, "r--------"), FileTime.fromMillis(1));
        }
        Path data = Files.createSymbolicLink(directory.resolve("..data"), Path.of("v1"));
        Path mounted = Files.createSymbolicLink(directory.resolve("keys"), Path.of("..data", "keys"));
        KeyFile keys = new KeyFile(mounted);
        assertThat(keys.key("two")).isEmpty();
        Path next = Files.createSymbolicLink(directory.resolve("..data_tmp"), Path.of("v2"));
        Files.move(next, data, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        assertThat(keys.key("two")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"absent", "directory", "malformed", "cut", "empty", "readable", "large"})
    void fileThatCannotBeUsedWithdrawsNothingUntilItIsMended(String how) throws IOException {
        Path file = file("one " + ONE + "\ntwo " + ONE + "\n", "rw-------");
        KeyFile keys = new KeyFile(file);
        switch (how) {
            case "absent" -> Files.delete(file);
            case "directory" -> {
                Files.delete(file);
                Files.createDirectory(file);
            }
            case "malformed" -> Files.writeString(file, "rubbish\n");
            case "cut" -> Files.writeString(file, "one " + ONE.substring(0, 20));
            case "empty" -> Files.writeString(file, "# soon\n");
            case "readable" -> allow(Files.writeString(file, "two " + ONE), "rw-r--r--");
            default -> Files.writeString(file, "#" + "x".repeat(1 << 20));
        }
        for (int i = 0; i < 3; i++) {
            assertThat(keys.withdrawn(Set.of("one", "two"))).isEmpty();
        }
        if (!how.equals("empty")) {
            assertThat(keys.key("one")).isPresent();
            assertThatExceptionOfType(InvalidSettingsException.class)
                    .isThrownBy(() -> keys.key("three"))
                    .withMessageContaining(file.toString())
                    .withMessageNotContaining(ONE.substring(0, 20));
        }

        Files.deleteIfExists(file);
        file("three " + ONE + "\n", "rw-------");
        assertThat(keys.key("three")).isPresent();
        assertThat(keys.withdrawn(Set.of("one", "three"))).isEmpty();
        assertThat(keys.withdrawn(Set.of("one", "three"))).containsExactly("one");
    }

    @Test
    void fileThatCannotBeUsedIsWarnedAboutOnce() throws IOException {
        Path file = file("one " + ONE + "\n", "rw-------");
        KeyFile keys = new KeyFile(file);
        String log = log(() -> {
            for (int i = 0; i < 5; i++) {
                assertThat(keys.withdrawn(Set.of("one"))).isEmpty();
            }
        });
        assertThat(log).isEmpty();
        Files.writeString(file, "rubbish\n");
        for (int i = 0; i < 2; i++) {
            log = log(() -> {
                for (int j = 0; j < 5; j++) {
                    assertThat(keys.withdrawn(Set.of("one"))).isEmpty();
                }
            });
            assertThat(log).containsOnlyOnce("WARN").contains("line 1").contains("openssl rand");
            Files.writeString(file, "one " + ONE + "\n");
            assertThat(keys.withdrawn(Set.of("one"))).isEmpty();
            Files.writeString(file, "rubbish\n");
        }
    }

    @Test
    void keyIsWithdrawnWhenTwoReadingsLackIt() throws IOException {
        Path file = file("one " + ONE + "\ntwo " + ONE + "\n", "rw-------");
        KeyFile keys = new KeyFile(file);
        Files.writeString(file, "one " + ONE + "\n");
        assertThat(keys.withdrawn(Set.of("one", "two")))
                .as("it may be half written")
                .isEmpty();
        Files.writeString(file, "one " + ONE + "\ntwo " + ONE + "\n");
        assertThat(keys.withdrawn(Set.of("one", "two"))).isEmpty();
        Files.writeString(file, "one " + ONE + "\n");
        assertThat(keys.withdrawn(Set.of("one", "two"))).isEmpty();
        assertThat(keys.withdrawn(Set.of("one", "two"))).containsExactly("two");
    }

    @Test
    void sourceAndIdAreGivenTogether() throws IOException {
        Optional<String> source =
                Optional.of(file("one " + ONE, "rw-------").toUri().toString());
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Keyring.open(source, Optional.empty()))
                .withMessageContaining("encryption.key.id");
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Keyring.open(Optional.empty(), Optional.of("one")))
                .withMessageContaining("encryption.keys");
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> Keyring.open(source, Optional.of("two")))
                .withMessageContaining("does not have it");
        assertThat(Keyring.open(source, Optional.of("one")).writing()).contains("one");
        assertThat(Keyring.open(source, Optional.of("none")).writing()).isEmpty();
    }

    private Path file(String text, String permissions) throws IOException {
        return allow(Files.writeString(directory.resolve("keys"), text), permissions);
    }

    private static Path allow(Path file, String permissions) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    /** The lines that the tests' logger writes to standard error while a task runs. */
    private static String log(Runnable during) {
        PrintStream before = System.err;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            during.run();
        } finally {
            System.setErr(before);
        }
        return bytes.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("KeyEntries"))
                .collect(Collectors.joining("\n"));
    }
}
