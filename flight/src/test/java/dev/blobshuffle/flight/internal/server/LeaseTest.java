package dev.blobshuffle.flight.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flight.internal.blob.Catalog;
import dev.blobshuffle.flight.internal.blob.OpenBlob;
import dev.blobshuffle.flight.internal.blob.Refused;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When the files of a shuffle go, and when they stay. */
class LeaseTest {
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final Catalog.Limits LIMITS = new Catalog.Limits(1 << 20, 0, OptionalLong.empty());

    private final AtomicLong now = new AtomicLong(1_000_000_000_000L);
    private final SystemTime time = new SystemTime(now::get);

    @TempDir
    private Path directory;

    private ArrowStore store;
    private Catalog catalog;

    @BeforeEach
    void start() throws IOException {
        store = new ArrowStore(directory);
        write("s", 0);
        catalog = new Catalog(Map.of("default", List.of(directory)), LIMITS, time);
    }

    @AfterEach
    void close() {
        time.close();
    }

    private Path write(String shuffle, int map) throws IOException {
        Path blob = store.write(shuffle, map, 0, List.of(List.of(store.batch(800))));
        Files.setLastModifiedTime(blob.getParent(), FileTime.fromMillis(now.get()));
        return blob;
    }

    private void pass(Duration span) {
        now.addAndGet(span.toMillis());
    }

    private Path shuffle(String name) {
        return directory.resolve("shuffles").resolve(name);
    }

    @Test
    void aShuffleGoesWithAllItsFilesWhenItsLeaseHasEnded() throws IOException {
        Files.writeString(shuffle("s").resolve("m1-a0-1-0000000000abcdef-9.blob.tmp"), "half a blob");
        Files.setLastModifiedTime(shuffle("s"), FileTime.fromMillis(now.get()));
        write("t", 0);
        assertThat(catalog.shuffles("default")).hasSize(2);

        pass(LEASE);
        assertThat(catalog.sweep(LEASE)).isEmpty();
        write("t", 1);
        pass(Duration.ofMillis(1));
        assertThat(catalog.sweep(LEASE)).containsExactly("default/s");

        assertThat(shuffle("s")).doesNotExist();
        assertThat(shuffle("t")).exists();
        assertThatThrownBy(() -> catalog.shuffle("default", "s")).isInstanceOf(Refused.class);
    }

    @Test
    void aRenewalAndEveryReadExtendTheLease() throws IOException {
        for (int i = 0; i < 3; i++) {
            pass(LEASE);
            catalog.renew("default", "s");
            pass(LEASE);
            assertThat(catalog.sweep(LEASE)).isEmpty();
            catalog.shuffle("default", "s").commit(1);
            Files.setLastModifiedTime(shuffle("s"), FileTime.fromMillis(1));
            pass(LEASE);
            assertThat(catalog.sweep(LEASE)).isEmpty();
            assertThat(catalog.shuffle("default", "s").blob("m0-a0-1-0000000000abcdef-0.blob"))
                    .isNotNull();
        }
        pass(LEASE.plusMillis(1));
        assertThat(catalog.sweep(LEASE)).containsExactly("default/s");
    }

    @Test
    void aRestartedDaemonGivesShufflesTheirLeaseAgain() {
        pass(LEASE.multipliedBy(3));
        Catalog restarted = new Catalog(Map.of("default", List.of(directory)), LIMITS, time);

        assertThat(restarted.sweep(LEASE)).isEmpty();
        pass(LEASE.plusMillis(1));
        assertThat(restarted.sweep(LEASE)).containsExactly("default/s");
        assertThat(directory.resolve("shuffles")).isEmptyDirectory();
    }

    @Test
    void aFailedReduceReleasesEverything() throws IOException {
        Path blob = write("s", 1);
        catalog.shuffle("default", "s").commit(2);
        Damage.truncate(blob, 100);

        assertThatThrownBy(() -> {
                    try (OpenBlob ignored = catalog.shuffle("default", "s")
                            .blob(blob.getFileName().toString())
                            .open()) {
                        throw new AssertionError("It was opened.");
                    }
                })
                .isInstanceOf(BlobCorrupt.class);
        catalog.release("default", "s");
        catalog.release("default", "s");
        assertThat(directory.resolve("shuffles")).isEmptyDirectory();
    }
}
