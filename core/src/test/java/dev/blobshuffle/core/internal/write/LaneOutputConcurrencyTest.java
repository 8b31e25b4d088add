package dev.blobshuffle.core.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.SegmentReader;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.seal.SealReason;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Lanes append while another thread seals without pause. Every record arrives exactly once, in
 * order and intact, and each segment's smallest and largest timestamps are those of its records.
 * The test can find an inconsistent snapshot, and does if the reader's second check of the version
 * is removed. A pass does not prove the memory ordering.
 */
class LaneOutputConcurrencyTest {
    private static final int LANES = 2;
    private static final int PARTITIONS = 3;
    private static final int SEGMENTS = Integer.getInteger("race.rounds", 1_000);
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private final SystemTime time = new SystemTime();
    private final MemoryBlobStore store = new MemoryBlobStore("concurrency", 1L << 30);
    private final AtomicReference<Throwable> wrong = new AtomicReference<>();
    private final CountDownLatch enough = new CountDownLatch(SEGMENTS);

    @Test
    void everyRecordArrivesOnceInOrderWithExactTimestamps() throws Exception {
        BatcherOptions options = BatcherOptions.builder()
                .delay(Duration.ofHours(1))
                .chunkBytes(1024)
                .bufferBytes(2 << 20)
                .build();
        AtomicBoolean stop = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(LANES + 1);
        try (Batcher batcher = new Batcher(store, options, time, new ShuffleMetrics())) {
            List<Future<?>> done = new ArrayList<>();
            List<Reader> readers = new ArrayList<>();
            for (int i = 0; i < LANES; i++) {
                Reader reader = new Reader();
                readers.add(reader);
                Lane lane = batcher.lane("lane-" + i, reader);
                int seed = i;
                done.add(threads.submit(() -> append(lane, reader, seed, stop)));
            }
            Future<?> sealer = threads.submit(() -> {
                while (!stop.get()) {
                    batcher.sealAll(SealReason.SIZE);
                }
            });
            boolean ignored = enough.await(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
            stop.set(true);
            sealer.get(60, TimeUnit.SECONDS);
            for (Future<?> one : done) {
                one.get(60, TimeUnit.SECONDS);
            }
            assertThat(wrong.get()).isNull();
            for (Reader reader : readers) {
                reader.expectAll();
            }
            assertThat(enough.getCount()).as("segments that did not come").isZero();
        } finally {
            stop.set(true);
            threads.shutdownNow();
            time.close();
        }
    }

    private Void append(Lane lane, Reader reader, int seed, AtomicBoolean stop) {
        SplittableRandom random = new SplittableRandom(seed);
        while (!stop.get() && wrong.get() == null) {
            int partition = random.nextInt(PARTITIONS);
            long sequence = reader.next(partition);
            byte[] value = new byte[random.nextInt(100) == 0 ? random.nextInt(3000) : random.nextInt(60)];
            Arrays.fill(value, (byte) sequence);
            byte[] key = ByteBuffer.allocate(8).putLong(sequence).array();
            lane.output(new Partition("t", partition), Zone.SINGLE)
                    .append(random.nextLong(1_000_000), key, value, Headers.NONE);
        }
        if (wrong.get() == null) {
            lane.flush(Duration.ofMinutes(1));
        }
        return null;
    }

    /** A channel that reads each segment when its notification arrives. */
    private final class Reader implements Channel {
        private final long[] appended = new long[PARTITIONS];
        private final long[] read = new long[PARTITIONS];

        long next(int partition) {
            return appended[partition]++;
        }

        void expectAll() {
            assertThat(read).isEqualTo(appended);
        }

        @Override
        public void send(
                Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
            try {
                check(partition, notification, earliest, latest);
                enough.countDown();
            } catch (RuntimeException | AssertionError e) {
                wrong.compareAndSet(null, e);
                LongStream.range(0, SEGMENTS).forEach(i -> enough.countDown());
            }
            delivery.delivered();
        }

        private void check(Partition partition, Notification notification, long earliest, long latest) {
            long min = Long.MAX_VALUE;
            long max = Long.MIN_VALUE;
            BlobRange range = new BlobRange(
                    notification.sectionOffset(),
                    notification.sectionLength(),
                    notification.segmentOffset(),
                    notification.segmentLength());
            try (BlobBytes bytes =
                    store.get(notification.blob(), range).toCompletableFuture().join()) {
                SegmentReader reader =
                        new SegmentReader(notification, partition, Keyring.none(), SegmentReader.Memory.UNLIMITED);
                reader.input(bytes.buffer());
                while (reader.next()) {
                    min = Math.min(min, reader.timestamp());
                    max = Math.max(max, reader.timestamp());
                    check(partition.number(), reader.key(), reader.value());
                }
                assertThat(reader.isFinished()).isTrue();
            }
            assertThat(earliest).isEqualTo(min);
            assertThat(latest).isEqualTo(max);
        }

        private void check(int partition, byte[] key, byte[] value) {
            long sequence = ByteBuffer.wrap(key).getLong();
            if (sequence != read[partition]) {
                throw new AssertionError("record " + sequence + " of partition " + partition + " came where "
                        + read[partition] + " belongs");
            }
            read[partition]++;
            for (byte one : value) {
                if (one != (byte) sequence) {
                    throw new AssertionError("record " + sequence + " of partition " + partition + " is damaged");
                }
            }
        }

        @Override
        public void send(Partition partition, SegmentRecords records, Delivery delivery) {
            wrong.compareAndSet(null, new AssertionError("nothing is inlined here"));
        }

        @Override
        public void flush() {}
    }
}
