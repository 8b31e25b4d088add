package dev.blobshuffle.core.internal.write;

import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures from {@code append} to the acknowledged flush, without compression, with CRC32C, into a
 * store that accepts everything and keeps nothing. One operation is 16 MiB of keys and values,
 * spread evenly over the partitions, so the throughput in MiB/s is 16 times the score. The encoder
 * has its own thread, so run the benchmark on one core ({@code taskset -c 0}) to measure one core.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 2)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
public class AppendSealBenchmark {
    private static final int BYTES = 16 << 20;
    private static final int KEY_BYTES = 8;

    /** Bytes of a key and its value. */
    @Param({"1024", "100"})
    public int recordBytes;

    /** Partitions that records go to in turn. */
    @Param({"8"})
    public int partitions;

    /** Whether frames are encrypted. */
    @Param({"false"})
    public boolean encrypted;

    private SystemTime time;
    private Batcher batcher;
    private Lane lane;
    private Lane.Output[] outputs;
    private byte[] key;
    private byte[] value;
    private long operations;
    private long cpuNanos;

    /** Opens a Batcher with one lane. */
    @Setup
    public void open() {
        time = new SystemTime();
        Keyring keys = encrypted
                ? Keyring.writing(id -> Optional.of(new byte[Keyring.KEY_LENGTH]), "benchmark")
                : Keyring.none();
        BatcherOptions options =
                BatcherOptions.builder().delay(Duration.ofHours(1)).keys(keys).build();
        batcher = new Batcher(new NullBlobStore(), options, time, new ShuffleMetrics());
        lane = batcher.lane("bench", new NullChannel());
        outputs = new Lane.Output[partitions];
        for (int i = 0; i < partitions; i++) {
            outputs[i] = lane.output(new Partition("t", i), Zone.SINGLE);
        }
        key = new byte[KEY_BYTES];
        value = new byte[recordBytes - KEY_BYTES];
    }

    /** Appends and flushes 16 MiB. */
    @Benchmark
    public void appendAndFlush() {
        operations++;
        int partition = 0;
        for (int i = 0; i < BYTES / recordBytes; i++) {
            outputs[partition].append(i, key, value, Headers.NONE);
            partition = partition + 1 == outputs.length ? 0 : partition + 1;
        }
        lane.flush(Duration.ofMinutes(1));
    }

    /**
     * Prints the rate by the CPU time of all threads but JIT and GC, which other load on the
     * machine changes less than the rate by the clock.
     */
    @TearDown(Level.Iteration)
    public void printCpuRate() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long cpu = threads.getCurrentThreadCpuTime();
        for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().startsWith("blobshuffle-")) {
                cpu += threads.getThreadCpuTime(thread.getThreadId());
            }
        }
        System.out.printf(
                "%.2f GiB per CPU second%n", operations * (double) BYTES / (1 << 30) / ((cpu - cpuNanos) / 1e9));
        operations = 0;
        cpuNanos = cpu;
    }

    /** Closes everything. */
    @TearDown
    public void close() {
        batcher.close();
        time.close();
    }

    private static final class NullChannel implements Channel {
        @Override
        public void send(
                Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
            delivery.delivered();
        }

        @Override
        public void send(Partition partition, SegmentRecords records, Delivery delivery) {
            delivery.delivered();
        }

        @Override
        public void flush() {}
    }

    private static final class NullBlobStore implements BlobStore {
        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Long> length(BlobId id) {
            throw new UnsupportedOperationException("nothing is kept");
        }

        @Override
        public CompletionStage<Void> delete(Collection<BlobId> ids) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<List<Long>> generations(int owner) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<List<Integer>> owners() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int fingerprint() {
            return 0;
        }

        @Override
        public String location() {
            return "null://";
        }

        @Override
        public void close() {}
    }
}
