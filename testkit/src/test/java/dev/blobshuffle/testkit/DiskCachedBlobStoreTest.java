package dev.blobshuffle.testkit;

import static dev.blobshuffle.testkit.CacheFixture.SECTION;
import static dev.blobshuffle.testkit.CacheFixture.expected;
import static dev.blobshuffle.testkit.CacheFixture.id;
import static dev.blobshuffle.testkit.CacheFixture.range;
import static dev.blobshuffle.testkit.CacheFixture.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.cache.CacheUnit;
import dev.blobshuffle.core.internal.cache.CachedFile;
import dev.blobshuffle.core.internal.cache.DiskCachedBlobStore;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.store.MeteredBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.simulator.SimulatedTime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Under a virtual clock: {@link #settle} runs the writes in the background. */
class DiskCachedBlobStoreTest {
    private static final long ROOM = 100 << 10;

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    @TempDir
    Path directory;

    private final SimulatedTime time = new SimulatedTime(3);
    private final ShuffleMetrics metrics = new ShuffleMetrics();
    private final MemoryBlobStore origin = new MemoryBlobStore("disk", 10 << 20);
    private final BlobStore metered = new MeteredBlobStore(loans.watch(origin), metrics, time);
    private final List<DiskCachedBlobStore> opened = new ArrayList<>();
    private DiskCachedBlobStore store;

    @BeforeEach
    void start() throws Exception {
        store = open(List.of(directory), ROOM);
        for (int i = 0; i < 8; i++) {
            CacheFixture.put(origin, loans, i);
        }
    }

    @AfterEach
    void end() {
        opened.forEach(BlobStore::close);
        time.close();
    }

    private DiskCachedBlobStore open(List<Path> directories, long bytes) {
        BlobStore lent = new ForwardingBlobStore(metered) {
            @Override
            public void close() {}
        };
        DiskCachedBlobStore disk = new DiskCachedBlobStore(
                lent, CacheFixture.options(1, directories, bytes, CacheUnit.SECTION), metrics, time);
        opened.add(disk);
        return disk;
    }

    private void settle() {
        time.settle(Duration.ofSeconds(1));
    }

    private byte[] readNow(BlobStore from, int blob, BlobRange range) {
        CompletableFuture<BlobBytes> read = from.get(id(blob), range).toCompletableFuture();
        settle();
        assertThat(read).isDone();
        return CacheFixture.bytes(read.join());
    }

    private void cache(int... blobs) throws Exception {
        for (int blob : blobs) {
            read(store, blob, range(0, 0, SECTION)); // The store answers at once.
            settle();
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".part"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void whatWasReadWholeIsReadFromDiskThen() throws Exception {
        cache(1);
        for (BlobRange part : List.of(range(0, 0, SECTION), range(0, 17, 400))) {
            assertThat(readNow(store, 1, part)).isEqualTo(expected(1, part));
        }
        assertThat(metrics.value(Counter.GETS)).isEqualTo(1);
        assertThat(metrics.value(Counter.CACHE_DISK_HITS)).isEqualTo(2);
        assertThat(metrics.value(Gauge.CACHE_DISK_USED)).isEqualTo(Files.size(files().get(0)));
    }

    @Test
    void aPieceOfASectionIsNotKept() throws Exception {
        read(store, 1, range(0, 5, 10));
        settle();
        assertThat(files()).isEmpty();
    }

    @Test
    void aRestartFindsWhatWasThere() throws Exception {
        cache(1, 2);
        store.close();
        DiskCachedBlobStore again = open(List.of(directory), ROOM);
        assertThat(readNow(again, 1, range(0, 100, 50))).isEqualTo(expected(1, range(0, 100, 50)));
        assertThat(readNow(again, 2, range(0, 0, SECTION))).isEqualTo(expected(2, range(0, 0, SECTION)));
        assertThat(metrics.value(Counter.GETS)).isEqualTo(2);
    }

    @Test
    void aRestartWithLessRoomKeepsWhatFits() throws Exception {
        cache(1, 2, 3);
        store.close();
        open(List.of(directory), 2 * Files.size(files().get(0)));
        assertThat(files()).hasSize(2);
    }

    @Test
    void leftoversAndForeignFilesAreRemovedAtStart() throws Exception {
        cache(1);
        store.close();
        Path parts = files().get(0).getParent();
        Files.write(parts.resolve("5-0000000000000077-1-0-1000.0000000000000001.part.tmp"), new byte[10]);
        Files.write(parts.resolve("5-0000000000000077-1-0-1000.0000000000000002.part"), new byte[10]); // Cut short.
        Files.createDirectories(directory.resolve("parts-00000001"));
        Files.write(directory.resolve("parts-00000001").resolve("1.part"), new byte[10]); // Of another store.
        open(List.of(directory), ROOM);
        try (Stream<Path> left = Files.walk(directory)) {
            assertThat(left.filter(Files::isRegularFile)
                            .map(file -> file.getFileName().toString()))
                    .hasSize(2)
                    .contains("lock");
        }
    }

    @Test
    void damageIsFoundAndTheStoreAskedInstead() throws Exception {
        Random random = new Random(9);
        BlobRange whole = range(0, 0, SECTION);
        for (int i = 0; i < 40; i++) {
            if (files().isEmpty()) {
                cache(1);
            }
            store.close(); // So that nothing is remembered of the file.
            Path file = files().get(0);
            flip(file, random.nextLong(Files.size(file) * 8));
            store = open(List.of(directory), ROOM);
            assertThat(readNow(store, 1, whole)).isEqualTo(expected(1, whole));
            assertThat(metrics.value(Counter.CACHE_DISK_FAILURES)).isEqualTo(i + 1);
        }
    }

    private static void flip(Path file, long bit) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, bit / 8);
            one.put(0, (byte) (one.get(0) ^ 1 << bit % 8)).flip();
            channel.write(one, bit / 8);
        }
    }

    @Test
    void aFileThatVanishedIsAMiss() throws Exception {
        cache(1);
        Files.delete(files().get(0));
        assertThat(readNow(store, 1, range(0, 1, 5))).isEqualTo(expected(1, range(0, 1, 5)));
        assertThat(store.file(id(1), range(0, 1, 5))).isEmpty();
    }

    @Test
    void theOldestGoWhenTheBudgetIsSpent() throws Exception {
        cache(1);
        long size = Files.size(files().get(0));
        store.close();
        store = open(List.of(directory), 3 * size);
        cache(2, 3);
        readNow(store, 1, range(0, 0, 1));
        cache(4);
        assertThat(files()).hasSize(3);
        assertThat(metrics.value(Gauge.CACHE_DISK_USED)).isEqualTo(3 * size);
        assertThat(metrics.value(Counter.CACHE_DISK_EVICTIONS)).isEqualTo(1);
        long before = metrics.value(Counter.GETS);
        readNow(store, 1, range(0, 0, 1));
        assertThat(metrics.value(Counter.GETS)).isEqualTo(before);
        readNow(store, 2, range(0, 0, 1));
        assertThat(metrics.value(Counter.GETS)).isEqualTo(before + 1);
    }

    @Test
    void aDirectoryThatBreaksOnlyMeansLessIsKept() throws Exception {
        Path parts = directory.resolve(String.format("parts-%08x", origin.fingerprint()));
        Files.delete(parts);
        Files.createFile(parts); // Even root cannot write into it.
        cache(1, 2);
        assertThat(metrics.value(Counter.CACHE_DISK_FAILURES)).isEqualTo(1);
        assertThat(metrics.value(Counter.CACHE_DISK_REFUSALS)).isEqualTo(1);
        assertThat(readNow(store, 1, range(0, 1, 5))).isEqualTo(expected(1, range(0, 1, 5)));
        Files.delete(parts);
        Files.createDirectory(parts);
        time.settle(Duration.ofSeconds(20));
        cache(2);
        assertThat(files()).hasSize(1);
    }

    @Test
    void severalDirectoriesShareTheParts() throws Exception {
        Path one = directory.resolve("one");
        Path two = directory.resolve("two");
        store = open(List.of(one, two), ROOM);
        cache(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(files()).hasSize(8).anyMatch(file -> file.startsWith(one)).anyMatch(file -> file.startsWith(two));
        long before = metrics.value(Counter.GETS);
        for (int i = 0; i < 8; i++) {
            assertThat(readNow(store, i, range(0, 9, 90))).isEqualTo(expected(i, range(0, 9, 90)));
        }
        assertThat(metrics.value(Counter.GETS)).isEqualTo(before);
    }

    @Test
    void aDirectoryBelongsToOneInstance() {
        assertThatThrownBy(() -> open(List.of(directory), ROOM))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("another instance");
    }

    @Test
    void aWriterKeepsTheSectionOfItsOwnZone() throws Exception {
        CacheFixture.put(store, loans, 20);
        settle();
        assertThat(files()).hasSize(1);
        assertThat(readNow(store, 20, range(0, 3, 900))).isEqualTo(expected(20, range(0, 3, 900)));
        assertThat(metrics.value(Counter.GETS)).isZero();
    }

    @Test
    void aReadAfreshAsksTheStoreAndForgets() throws Exception {
        cache(1);
        assertThat(readNow(store, 1, range(0, 1, 5).afresh())).isEqualTo(expected(1, range(0, 1, 5)));
        assertThat(metrics.value(Counter.GETS)).isEqualTo(2);
        assertThat(files()).isEmpty();
    }

    @Test
    void aFileIsLentWithItsRangeAndOutlivesItsEntry() throws Exception {
        cache(1);
        try (CachedFile file = store.file(id(1), range(0, 30, 40)).orElseThrow()) {
            CacheFixture.join(settled(store.delete(List.of(id(1))).toCompletableFuture()));
            assertThat(files()).hasSize(1);
            ByteBuffer bytes = ByteBuffer.allocate((int) file.length());
            file.channel().read(bytes, file.position());
            assertThat(bytes.array()).isEqualTo(expected(1, range(0, 30, 40)));
        }
        assertThat(files()).isEmpty();
    }

    private <T> CompletableFuture<T> settled(CompletableFuture<T> stage) {
        settle();
        return stage;
    }

    @Test
    void whatDoesNotFitInOneBlockIsCheckedBlockByBlock() throws Exception {
        byte[] large = new byte[300_001];
        new Random(4).nextBytes(large);
        TrackedContent content = loans.content(large.clone());
        CacheFixture.join(origin.put(id(50), content));
        content.release();
        store.close();
        store = open(List.of(directory), 1 << 20);
        CacheFixture.join(store.get(id(50), BlobRange.of(0, large.length))).close();
        settle();
        Random random = new Random(8);
        for (int i = 0; i < 50; i++) {
            int offset = random.nextInt(large.length);
            BlobRange part = new BlobRange(0, large.length, offset, 1 + random.nextInt(large.length - offset));
            assertThat(readNow(store, 50, part))
                    .isEqualTo(java.util.Arrays.copyOfRange(large, (int) part.offset(), (int) part.end()));
        }
        assertThat(metrics.value(Counter.GETS)).isEqualTo(1);
    }
}
