package dev.blobshuffle.flightdaemon.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flightdaemon.internal.blob.Catalog;
import dev.blobshuffle.flightdaemon.internal.blob.CopyStore;
import dev.blobshuffle.flightdaemon.internal.blob.MapPut;
import dev.blobshuffle.flightdaemon.internal.blob.MapSet;
import dev.blobshuffle.flightdaemon.internal.blob.OpenBlob;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks when the files of a shuffle are deleted, and when they stay. */
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
        catalog = new Catalog(Map.of("default", List.of(directory)), Map.of(), LIMITS, time);
    }

    private static List<String> sweep(Catalog catalog) {
        List<String> released = new ArrayList<>();
        catalog.sweep(LEASE, released::add);
        return released;
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

    /** The test writes to shuffle t and not to shuffle s. */
    private void assertOnlyTheLeaseOfSEnds() throws IOException {
        pass(LEASE);
        assertThat(sweep(catalog)).isEmpty();
        write("t", 1);
        pass(Duration.ofMillis(1));
        assertThat(sweep(catalog)).containsExactly("default/s");
    }

    @Test
    void aShuffleGoesWithAllItsFilesWhenItsLeaseHasEnded() throws IOException {
        Files.writeString(shuffle("s").resolve("m1-a0-1-0000000000abcdef-9.blob.tmp"), "half a blob");
        Files.setLastModifiedTime(shuffle("s"), FileTime.fromMillis(now.get()));
        write("t", 0);
        assertThat(catalog.names("default")).containsExactly("s", "t");
        catalog.names("default").forEach(name -> catalog.shuffle("default", name));

        assertOnlyTheLeaseOfSEnds();

        assertThat(shuffle("s")).doesNotExist();
        assertThat(shuffle("t")).exists();
        assertThatThrownBy(() -> catalog.shuffle("default", "s")).isInstanceOf(RefusedException.class);
    }

    @Test
    void aRenewalAndEveryReadExtendTheLease() throws IOException {
        for (int i = 0; i < 3; i++) {
            pass(LEASE);
            catalog.renew("default", "s");
            pass(LEASE);
            assertThat(sweep(catalog)).isEmpty();
            catalog.shuffle("default", "s").commit(1);
            Files.setLastModifiedTime(shuffle("s"), FileTime.fromMillis(1));
            pass(LEASE);
            assertThat(sweep(catalog)).isEmpty();
            assertThat(catalog.shuffle("default", "s").blob("m0-a0-1-0000000000abcdef-0.blob"))
                    .isNotNull();
        }
        pass(LEASE.plusMillis(1));
        assertThat(sweep(catalog)).containsExactly("default/s");
    }

    @Test
    void aRestartedDaemonGivesShufflesTheirLeaseAgain() {
        pass(LEASE.multipliedBy(3));
        Catalog restarted = new Catalog(Map.of("default", List.of(directory)), Map.of(), LIMITS, time);

        assertThat(sweep(restarted)).isEmpty();
        pass(LEASE.plusMillis(1));
        assertThat(sweep(restarted)).containsExactly("default/s");
        assertThat(directory.resolve("shuffles")).isEmptyDirectory();
    }

    @Test
    void aStoreOfCopiesThatIsAwayKeepsOnlyItsNamespaceFromBeingSwept() throws IOException {
        Path other = Files.createDirectory(directory.resolveSibling(directory.getFileName() + "-other"));
        ArrowStore kept = new ArrowStore(other);
        Path blob = kept.write("kept", 0, 0, List.of(List.of(kept.batch(800))));
        CopyStore away = new CopyStore(
                BlobStores.openNamed("file://" + directory.resolve("absent"), StoreContext.unmetered(time)), time);
        Catalog both =
                new Catalog(Map.of("a", List.of(other), "b", List.of(directory)), Map.of("a", away), LIMITS, time);
        List<String> released = new ArrayList<>();
        both.sweep(LEASE, released::add);
        now.set(System.currentTimeMillis() + LEASE.toMillis() + 60_000);

        assertThatThrownBy(() -> both.sweep(LEASE, released::add))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("absent");
        assertThat(released).containsExactly("b/s");
        assertThat(blob).exists();
    }

    @Test
    void aShuffleWhoseCommitIsDamagedGoesWhenItsLeaseHasEnded() throws IOException {
        pass(LEASE.multipliedBy(3));
        catalog.renew("default", "s");
        Files.writeString(shuffle("s").resolve("flight.commit"), "nothing");
        Files.setLastModifiedTime(shuffle("s"), FileTime.fromMillis(now.get()));
        assertThatThrownBy(() -> catalog.shuffle("default", "s")).isInstanceOf(BlobCorruptException.class);
        Files.setLastModifiedTime(shuffle("s"), FileTime.fromMillis(1));
        write("t", 0);

        assertOnlyTheLeaseOfSEnds();
        assertThat(shuffle("s")).doesNotExist();
    }

    @Test
    void aPutThatTakesLongKeepsItsLease() {
        try (MapPut put = catalog.put("default", "long", new MapSet.Attempt(0, 0), 4)) {
            put.schema(RawPut.stored(RawPut.schema(), new byte[0]));
            put.batch(0, 1, store.batch(800));
            put.flush();
            put.renew(now.get());
            pass(LEASE);
            put.renew(now.get());
            pass(LEASE);
            assertThat(sweep(catalog)).doesNotContain("default/long");
            assertThat(put.commit().rows()).isEqualTo(1);
        }
        assertThat(catalog.shuffle("default", "long").commit(1)).hasSize(1);
        try (MapPut put = catalog.put("default", "lost", new MapSet.Attempt(0, 0), 4)) {
            put.schema(RawPut.stored(RawPut.schema(), new byte[0]));
            put.batch(0, 1, store.batch(800));
            put.flush();
            catalog.release("default", "lost");
            assertThatThrownBy(put::commit).isInstanceOf(StoreUnavailableException.class);
        }
        assertThat(shuffle("lost")).doesNotExist();
    }

    /** Blobs in memory keep the shuffle known, so the daemon must list its directory again. */
    @Test
    void aDamagedCommitBesideBlobsInMemoryIsReportedEachTime() throws IOException {
        Catalog keeping = new Catalog(
                Map.of("default", List.of(directory)),
                Map.of(),
                new Catalog.Limits(1 << 20, 1 << 20, OptionalLong.empty()),
                time);
        try (MapPut put = keeping.put("default", "s", new MapSet.Attempt(1, 0), 4)) {
            put.schema(RawPut.stored(RawPut.schema(), new byte[0]));
            put.batch(0, 1, store.batch(800));
            assertThat(put.commit().rows()).isEqualTo(1);
        }
        Files.writeString(shuffle("s").resolve("flight.commit"), "nothing");
        Files.setLastModifiedTime(shuffle("s"), FileTime.fromMillis(now.get() - 60_000));

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> keeping.shuffle("default", "s")).isInstanceOf(BlobCorruptException.class);
        }
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
                .isInstanceOf(BlobCorruptException.class);
        catalog.release("default", "s");
        catalog.release("default", "s");
        assertThat(directory.resolve("shuffles")).isEmptyDirectory();
    }
}
