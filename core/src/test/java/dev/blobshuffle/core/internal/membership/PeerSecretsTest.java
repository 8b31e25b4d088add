package dev.blobshuffle.core.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.membership.PeerSecrets.Outcome;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerSecretsTest {
    private static final String OLD = "the-old-secret-of-all";
    private static final String NEW = "the-new-secret-of-all";

    @TempDir
    Path directory;

    private final Clock time = new Clock();
    private final List<Outcome> outcomes = new ArrayList<>();

    private Path file() {
        return directory.resolve("secret");
    }

    private PeerSecrets read(String content) throws Exception {
        write(content);
        return PeerSecrets.read(file(), time, outcomes::add);
    }

    private void write(String content) throws Exception {
        PrivateFiles.write(directory.resolve("next"), content);
        Files.move(directory.resolve("next"), file(), StandardCopyOption.ATOMIC_MOVE);
    }

    private static PeerSecret secret(String text) {
        return new PeerSecret(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The secrets in use, recognised by their signatures. */
    private static List<String> inUse(PeerSecrets secrets) {
        return secrets.all().stream().map(secret -> secret.sign("x")).toList();
    }

    private static List<String> signing(String... texts) {
        return List.of(texts).stream().map(text -> secret(text).sign("x")).toList();
    }

    /** The secrets in use after a time, and thus after a check of the file. */
    private List<String> after(PeerSecrets secrets, Duration span) {
        time.now += span.toNanos();
        return inUse(secrets);
    }

    private List<String> afterASecond(PeerSecrets secrets) {
        return after(secrets, Duration.ofSeconds(1));
    }

    @Test
    void eachLineIsASecretAndTheFirstOneSigns() throws Exception {
        PeerSecrets secrets = read("  " + NEW + " \r\n\n" + OLD);
        assertThat(inUse(secrets)).isEqualTo(signing(NEW, OLD));
        assertThat(secrets.first().sign("x")).isEqualTo(secret(NEW).sign("x"));
    }

    @Test
    void aChangedFileIsInUseWithoutARestart() throws Exception {
        PeerSecrets secrets = read(OLD);
        PeerSecrets keys = secrets.forPurpose("p");
        List<PeerSecret> before = secrets.all();
        assertThat(secrets.all()).isSameAs(before);
        assertThat(keys.all()).isSameAs(keys.all());
        for (String[] lines : new String[][] {{OLD, NEW}, {NEW, OLD}, {NEW}, {NEW, OLD + 2}, {OLD + 2}}) {
            write(String.join("\n", lines));
            List<String> ignored = afterASecond(secrets);
            assertThat(afterASecond(secrets)).isEqualTo(signing(lines));
            assertThat(keys.first().sign("x"))
                    .isEqualTo(secret(lines[0]).forPurpose("p").sign("x"));
        }
        assertThat(secrets.all()).isNotSameAs(before);
        assertThat(outcomes).hasSize(5).containsOnly(Outcome.CHANGED);
    }

    @Test
    void theFileIsReadOnceASecond() throws Exception {
        PeerSecrets secrets = read(OLD);
        Files.delete(file());
        for (int i = 0; i < 10; i++) {
            assertThat(after(secrets, Duration.ofMillis(99))).isEqualTo(signing(OLD));
        }
        assertThat(outcomes).isEmpty();
        for (int i = 0; i < 10; i++) {
            assertThat(after(secrets, Duration.ofMillis(500))).isEqualTo(signing(OLD));
        }
        assertThat(outcomes).hasSize(5);
    }

    @Test
    void aHalfWrittenFileIsNotUsed() throws Exception {
        PeerSecrets secrets = read(OLD);
        Files.writeString(file(), NEW.substring(0, 18));
        assertThat(afterASecond(secrets)).isEqualTo(signing(OLD));
        Files.writeString(file(), NEW);
        assertThat(afterASecond(secrets)).isEqualTo(signing(OLD));
        assertThat(afterASecond(secrets)).isEqualTo(signing(NEW));
        assertThat(outcomes).containsExactly(Outcome.CHANGED);
    }

    @Test
    void aFileThatCannotBeUsedKeepsThePreviousSecrets() throws Exception {
        PeerSecrets secrets = read(OLD);
        for (String content : new String[] {
            "",
            "\n \n",
            "short",
            NEW + "\nshort",
            String.join("\n", NEW, NEW + 2, NEW + 3, NEW + 4, NEW + 5),
            "x".repeat(4097)
        }) {
            write(content);
            assertIsKept(secrets);
        }
        write(NEW);
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));
        assertIsKept(secrets);
        Files.delete(file());
        assertIsKept(secrets);
        Files.createDirectory(file());
        assertIsKept(secrets);
        Files.delete(file());
        write(OLD);
        assertThat(afterASecond(secrets)).isEqualTo(signing(OLD));
        assertThat(outcomes).isEmpty();
    }

    private void assertIsKept(PeerSecrets secrets) {
        assertThat(afterASecond(secrets)).isEqualTo(signing(OLD));
        assertThat(afterASecond(secrets)).isEqualTo(signing(OLD));
        assertThat(outcomes).containsExactly(Outcome.KEPT, Outcome.KEPT);
        outcomes.clear();
    }

    /** The change before the failure does not count as the first of two reads. */
    @Test
    void aFileThatWasUnusableInBetweenIsReadTwiceAgain() throws Exception {
        PeerSecrets secrets = read(OLD);
        write(NEW);
        assertThat(afterASecond(secrets)).isEqualTo(signing(OLD));
        write("");
        assertThat(afterASecond(secrets)).isEqualTo(signing(OLD));
        write(NEW);
        assertThat(afterASecond(secrets)).isEqualTo(signing(OLD));
        assertThat(afterASecond(secrets)).isEqualTo(signing(NEW));
    }

    @Test
    void aFileThatCannotBeUsedAtTheStartIsRefusedWithoutShowingIt() {
        for (String content : new String[] {"", "too-short", NEW + "\ntoo-short", "y".repeat(5000)}) {
            assertThatThrownBy(() -> read(content))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining(file().toString())
                    .hasMessageContaining("Give")
                    .hasMessageNotContainingAny("too-short", NEW, "yyyy");
        }
        assertThatThrownBy(() -> PeerSecrets.read(directory.resolve("absent"), time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle.peer.secret.file");
    }

    @Test
    void nothingShowsASecret() throws Exception {
        PeerSecrets secrets = read(OLD);
        assertThat(secrets + " " + secrets.first() + " " + secrets.all() + secrets.forPurpose("p"))
                .doesNotContain(OLD);
        assertThatThrownBy(PeerSecrets::of).isInstanceOf(IllegalArgumentException.class);
    }

    /** A clock that only the test advances. */
    private static final class Clock implements Time {
        private long now = Long.MAX_VALUE - Duration.ofSeconds(2).toNanos(); // Overflows soon.

        @Override
        public long nanos() {
            return now;
        }

        @Override
        public long wallMillis() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long randomLong() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Signal signal() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Cancellable schedule(Duration delay, Runnable task) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Workers workers(String name, int threads) {
            throw new UnsupportedOperationException();
        }
    }
}
