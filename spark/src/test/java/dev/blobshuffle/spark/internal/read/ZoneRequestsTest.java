package dev.blobshuffle.spark.internal.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.CacheUnit;
import dev.blobshuffle.core.internal.cache.MemoryCachedBlobStore;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.spark.internal.directory.BlobDirectory;
import dev.blobshuffle.spark.internal.directory.DirectoryClient;
import dev.blobshuffle.spark.internal.directory.TestApplication;
import dev.blobshuffle.spark.internal.directory.Whereabouts;
import dev.blobshuffle.spark.internal.write.MapBatcher;
import dev.blobshuffle.spark.internal.write.Outputs;
import dev.blobshuffle.spark.internal.write.PackingRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A shuffle of several blobs, read by an executor in each of some zones. */
class ZoneRequestsTest {
    private static final int SHUFFLE = 1;
    private static final int MAPS = 24;
    private static final int PARTITIONS = 200;
    private static final int BLOCK = 900;
    private static final long BLOB = 1 << 20;

    /** The least that settings allow; 16 MiB by default. */
    private static final long WINDOW = 64 << 10;

    private static final int ZONES = 3;

    /** Tasks of an executor that run at once. */
    private static final int TASKS = 4;

    @TempDir
    private Path files;

    private final MemoryBlobStore memory = new MemoryBlobStore("test", 100 << 20);
    private final AtomicInteger puts = new AtomicInteger();
    private final AtomicInteger gets = new AtomicInteger();
    private final BlobStore store = new ForwardingBlobStore(memory) {
        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            puts.incrementAndGet();
            return super.put(id, content);
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            gets.incrementAndGet();
            return super.get(id, range);
        }

        /** The caches of all executors close it. */
        @Override
        public void close() {}
    };

    /**
     * A stored blob.
     *
     * @param attempts those of its maps
     */
    private record Stored(long length, List<Long> attempts) {
        long windows() {
            return (length + WINDOW - 1) / WINDOW;
        }
    }

    private Map<BlobId, Stored> written() {
        PackingRule rule = new PackingRule(
                BLOB, Integer.MAX_VALUE, Duration.ofDays(1), Duration.ofDays(1), PackingRule.WhenStored.KEEP);
        DirectoryClient directory = new DirectoryClient(
                new BlobDirectory(new TestApplication())::answer,
                new Whereabouts.Endpoint("1", "host", 7),
                Zone.SINGLE);
        long[] lengths = new long[PARTITIONS];
        Arrays.fill(lengths, BLOCK);
        Map<BlobId, List<Long>> attempts = new LinkedHashMap<>();
        try (SimulatedTime time = new SimulatedTime(1)) {
            MapBatcher batcher =
                    new MapBatcher(new MapBatcher.Target(store, 42, "app-1"), directory, rule, file -> false, time);
            for (long map = 0; map < MAPS; map++) {
                BlobId blob = batcher.add(Outputs.of(files, SHUFFLE, map, map, lengths))
                        .orElseThrow();
                attempts.computeIfAbsent(blob, id -> new ArrayList<>()).add(map);
            }
            time.settle(Duration.ofDays(2));
        }
        Map<BlobId, Stored> stored = new LinkedHashMap<>();
        attempts.forEach((blob, maps) -> {
            OptionalLong length = directory.refresh(blob).length();
            stored.put(blob, new Stored(length.orElseThrow(), maps));
        });
        return stored;
    }

    /** An executor's tasks. Each takes the next partition, as Spark starts them. */
    private void readAll(Map<BlobId, Stored> blobs, SystemTime time) {
        CacheOptions options = new CacheOptions(
                Zone.SINGLE, 64 << 20, List.of(), 0, CacheUnit.SECTION, CacheOptions.WhenWriting.FORGET);
        ShuffleWindows windows = new ShuffleWindows(WINDOW, options::memoryBytes);
        AtomicInteger next = new AtomicInteger();
        AtomicInteger blocks = new AtomicInteger();
        try (MemoryCachedBlobStore cache = new MemoryCachedBlobStore(store, options, new ShuffleMetrics());
                Time.Workers tasks = time.blockingWorkers("task", TASKS)) {
            StoredBlobs reader = new StoredBlobs(cache, Duration.ofMinutes(5), Runnable::run);
            Runnable task = () -> {
                for (int partition = next.getAndIncrement();
                        partition < PARTITIONS;
                        partition = next.getAndIncrement()) {
                    blocks.addAndGet(read(blobs, reader, windows, partition));
                }
            };
            IntStream.range(0, TASKS)
                    .mapToObj(i -> CompletableFuture.runAsync(task, tasks))
                    .toList()
                    .forEach(CompletableFuture::join);
        }
        assertThat(blocks).hasValue(MAPS * PARTITIONS);
    }

    /** Reads a partition, and returns how many blocks it has. */
    private static int read(Map<BlobId, Stored> blobs, StoredBlobs reader, ShuffleWindows windows, int partition) {
        AtomicInteger blocks = new AtomicInteger();
        blobs.forEach((blob, stored) -> {
            OpenedBlob opened = reader.open(blob, stored.length, windows.of(SHUFFLE, blob, stored.length));
            StoreFetch fetch = new StoreFetch(reader, opened, (name, bytes) -> blocks.incrementAndGet());
            try {
                fetch.toMemory(stored.attempts.stream()
                        .map(attempt -> BlockRange.parse("shuffle_" + SHUFFLE + "_" + attempt + "_" + partition))
                        .toList());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        return blocks.get();
    }

    @Test
    void eachZoneReadsAWindowAndAFooterOnce() {
        Map<BlobId, Stored> blobs = written();
        long bytes = blobs.values().stream().mapToLong(Stored::length).sum();
        long windows = blobs.values().stream().mapToLong(Stored::windows).sum();
        assertThat(blobs).hasSizeGreaterThan(3);
        assertThat(puts.get()).isEqualTo(blobs.size()).isLessThanOrEqualTo((int) (bytes / BLOB) + 1);

        try (SystemTime time = new SystemTime()) {
            for (int zone = 1; zone <= ZONES; zone++) {
                readAll(blobs, time);
                assertThat(gets.get()).isBetween((int) windows, (int) (zone * (windows + blobs.size())));
            }
        }
    }
}
