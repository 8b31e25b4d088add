package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.store.directory.FileBlobStore;
import dev.blobshuffle.core.internal.store.directory.Fsync;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A file store while others change its directories, and on file servers with clocks of their own.
 */
class WatchedFileBlobStoreTest {
    private static final int OWNER = 0xabcdef;

    /** A put makes more calls if others act. */
    private static final int MORE_CALLS = 15;

    private static final Duration SLACK = Duration.ofMinutes(1);

    @TempDir
    Path root;

    private final SystemTime time = new SystemTime();

    @AfterEach
    void end() {
        time.close();
    }

    /** What others do at two moments of a put, counted in its calls of the file system. */
    private final class Others implements WatchedFileSystem.Look {
        private final Path generation;
        private int calls;
        private int first;
        private int second;
        private boolean removesFirst;
        private boolean removesSecond;

        Others(Path generation) {
            this.generation = generation;
        }

        void act(int first, boolean removesFirst, int second, boolean removesSecond) {
            calls = 0;
            this.first = first;
            this.removesFirst = removesFirst;
            this.second = second;
            this.removesSecond = removesSecond;
        }

        @Override
        public void before() throws IOException {
            calls++;
            if (calls == first) {
                act(removesFirst);
            }
            if (calls == second) {
                act(removesSecond);
            }
        }

        /** As another put does, or a sweep that has deleted the last blob. */
        private void act(boolean removes) throws IOException {
            if (!removes) {
                PrivateFiles.createDirectories(generation);
                return;
            }
            try {
                for (Path at = generation; !at.endsWith("blobs"); at = at.getParent()) {
                    Files.deleteIfExists(at);
                }
            } catch (DirectoryNotEmptyException e) {
                // It holds the blob by now.
            }
        }
    }

    @Test
    void aPutSucceedsWhateverSweepsAndOtherPutsDoToItsDirectoriesMeanwhile() {
        BlobId id = new BlobId(OWNER, 29_700_000, 7, 8);
        Others others = new Others(root.resolve(BlobKey.of(id)).getParent());
        try (FileBlobStore store =
                FileBlobStore.open(List.of(WatchedFileSystem.watched(root, others)), Fsync.NONE, time)) {
            put(store, id);
            delete(store, id);
            others.act(0, false, 0, false);
            put(store, id);
            int calls = others.calls;
            assertThat(calls).isBetween(10, 60);
            for (int one = 1; one <= calls; one++) {
                for (int other = one; other <= calls + MORE_CALLS; other++) {
                    for (int kind = 0; kind < 4; kind++) {
                        others.act(0, false, 0, false);
                        delete(store, id);
                        others.act(one, (kind & 1) == 0, other, (kind & 2) == 0);
                        put(store, id);
                    }
                }
            }
        }
    }

    /** A machine that stops may forget a directory whose entry was never forced. */
    @Test
    void aDirectoryThatOthersMadeAgainIsForcedAgain() throws IOException {
        BlobId id = new BlobId(OWNER, 29_700_000, 7, 8);
        Path generation = root.resolve(BlobKey.of(id)).getParent();
        Others others = new Others(generation);
        try (FileBlobStore store =
                FileBlobStore.open(List.of(WatchedFileSystem.watched(root, others)), Fsync.BLOB, time)) {
            put(store, id);
            others.act(0, false, 0, false);
            put(store, id);
            int known = others.calls;
            Object created = Files.getAttribute(generation, "creationTime");
            Files.delete(root.resolve(BlobKey.of(id)));
            do { // File systems date by ticks of some milliseconds.
                Files.delete(generation);
                PrivateFiles.createDirectories(generation);
            } while (created.equals(Files.getAttribute(generation, "creationTime")));
            others.act(0, false, 0, false);
            put(store, id);
            assertThat(others.calls - known)
                    .as("those of the shard, the owner, the blobs and the store are forced")
                    .isGreaterThanOrEqualTo(showsCreation(root.resolve("probe")) ? 4 : 0);
            others.act(0, false, 0, false);
            put(store, id);
            assertThat(others.calls).isEqualTo(known);
        }
    }

    /** Where a directory has no time of creation, each put forces all, so that none forces more. */
    private static boolean showsCreation(Path probe) throws IOException {
        Files.createDirectory(probe);
        Object made = Files.getLastModifiedTime(probe);
        while (made.equals(Files.getLastModifiedTime(probe))) {
            Files.delete(Files.createFile(probe.resolve("file")));
        }
        return made.equals(Files.getAttribute(probe, "creationTime"));
    }

    private static void put(FileBlobStore store, BlobId id) {
        store.put(id, BlobContent.of(new byte[10])).toCompletableFuture().join();
    }

    private static void delete(FileBlobStore store, BlobId id) {
        store.delete(List.of(id)).toCompletableFuture().join();
    }

    /** One clock counts, else blobs of seconds would be a day old in the other directory. */
    @ParameterizedTest
    @ValueSource(ints = {-26, 26})
    void directoriesWhoseFileServersHaveOtherClocksHaveTheTimesOfOne(int hours) {
        Path one = WatchedFileSystem.dated(root.resolve("one"), Duration.ZERO);
        Path other = WatchedFileSystem.dated(root.resolve("other"), Duration.ofHours(hours));
        Instant before = Instant.ofEpochMilli(time.wallMillis()).minus(SLACK);
        try (FileBlobStore store = FileBlobStore.open(List.of(one, other), Fsync.NONE, time)) {
            for (int i = 0; i < 20; i++) {
                put(store, new BlobId(OWNER, 29_700_000, 7, i));
            }
            List<StoredBlob> listed =
                    store.list(OWNER, 29_700_000).toCompletableFuture().join();
            Instant now = written(store);
            assertThat(listed).hasSize(20);
            assertThat(listed)
                    .as("the first directory has the registers, and its clock is right")
                    .allSatisfy(blob -> assertThat(blob.stored()).isBetween(before, now.plus(SLACK)));
        }
    }

    /** As for a process that may only read it, or when it has no inodes left. */
    @Test
    void blobsOfADirectoryWhoseClockCannotBeReadAreListedAsJustStored() throws IOException {
        Path one = WatchedFileSystem.dated(root.resolve("one"), Duration.ZERO);
        Path other = WatchedFileSystem.dated(root.resolve("other"), Duration.ofHours(-26));
        try (FileBlobStore store = FileBlobStore.open(List.of(one, other), Fsync.NONE, time)) {
            for (int i = 0; i < 20; i++) {
                put(store, new BlobId(OWNER, 29_700_000, 7, i));
            }
            Path staging = root.resolve("other/staging");
            try (DirectoryStream<Path> drafts = Files.newDirectoryStream(staging)) {
                for (Path draft : drafts) {
                    Files.delete(draft);
                }
            }
            Files.delete(staging);
            Files.createFile(staging); // Root may write anywhere, but not below a file.
            Instant now = Instant.ofEpochMilli(time.wallMillis());
            assertThat(store.list(OWNER, 29_700_000).toCompletableFuture().join())
                    .hasSize(20)
                    .allSatisfy(blob -> assertThat(blob.stored()).isAfter(now.minus(SLACK)));
        }
    }

    @Test
    void theDirectoryOfTheRegistersHasTheClockThatCounts() {
        Path one = WatchedFileSystem.dated(root.resolve("one"), Duration.ofHours(26));
        Path other = WatchedFileSystem.dated(root.resolve("other"), Duration.ZERO);
        try (FileBlobStore store = FileBlobStore.open(List.of(one, other), Fsync.NONE, time)) {
            for (int i = 0; i < 20; i++) {
                put(store, new BlobId(OWNER, 29_700_000, 7, i));
            }
            Instant now = written(store);
            assertThat(store.list(OWNER, 29_700_000).toCompletableFuture().join())
                    .hasSize(20)
                    .allSatisfy(blob -> assertThat(blob.stored()).isBetween(now.minus(SLACK), now.plus(SLACK)));
        }
    }

    /** The store's time, as sweeps learn it. */
    private static Instant written(FileBlobStore store) {
        Registers registers = store.registers().orElseThrow();
        assertThat(registers
                        .replace("clock", Optional.empty(), "now")
                        .toCompletableFuture()
                        .join())
                .isTrue();
        Register register = registers.read("clock").toCompletableFuture().join().orElseThrow();
        return register.stored();
    }
}
