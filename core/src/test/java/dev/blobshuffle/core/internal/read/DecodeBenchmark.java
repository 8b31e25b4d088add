package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.time.SystemTime;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * The whole read side on one core: notification in, record objects out, checksums verified. One
 * operation is {@value #VOLUME} bytes of keys and values (64 MiB), so 24 operations per second are
 * 1.5 GiB/s.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xmx2g", "-XX:+UseParallelGC"})
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class DecodeBenchmark {
    private static final int VOLUME = 64 << 20;
    private static final int SEGMENT = 2 << 20;
    private static final int KEY = 8;
    private static final Partition PARTITION = new Partition("t", 0);

    /** Bytes of key and value of a record. */
    @Param({"1024", "100"})
    public int recordBytes;

    /** Whether frames are encrypted. */
    @Param({"false"})
    public boolean encrypted;

    private final SystemTime time = new SystemTime();
    private final MemoryBlobStore store = new MemoryBlobStore("decode", 1L << 30);
    private final List<Notification> notifications = new ArrayList<>();
    private @Nullable ReadEngine engine;
    private @Nullable Debatcher<String> debatcher;
    private long offset;
    private long operations;
    private long cpuNanos;

    /** The object that an engine creates for a record. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Decoded(
            Partition partition,
            long offset,
            int index,
            long timestamp,
            byte @Nullable [] key,
            byte @Nullable [] value) {}

    /** Stores the blobs. */
    @Setup(Level.Trial)
    public void store() {
        Keyring keys = encrypted
                ? Keyring.writing(id -> Optional.of(new byte[Keyring.KEY_LENGTH]), "benchmark")
                : Keyring.none();
        SegmentFixture fixture = new SegmentFixture(store, Codec.NONE, keys);
        Random random = new Random(1);
        for (int bytes = 0; bytes < VOLUME; bytes += SEGMENT) {
            List<SegmentFixture.Row> rows = new ArrayList<>();
            for (int i = 0; i < SEGMENT / recordBytes; i++) {
                byte[] key = new byte[KEY];
                byte[] value = new byte[recordBytes - KEY];
                random.nextBytes(key);
                random.nextBytes(value);
                rows.add(new SegmentFixture.Row(1_700_000_000_000L + i, key, value));
            }
            notifications.add(fixture.blob(64 << 10, List.of(rows)).get(0));
        }
        engine = new ReadEngine(store, 16 << 20, keys, time, new ShuffleMetrics());
        debatcher = new PrefetchingDebatcher<>("benchmark", engine, () -> {});
    }

    /** Reads every blob. */
    @Benchmark
    public void decode(Blackhole blackhole) {
        operations++;
        Debatcher<String> reader = java.util.Objects.requireNonNull(debatcher);
        for (Notification notification : notifications) {
            reader.offer(PARTITION, offset++, notification, 0, "carrier");
        }
        reader.prefetch();
        Debatcher.Sink<String> sink = new Debatcher.Sink<>() {
            @Override
            public void record(Partition partition, long at, int index, int count, RecordView record, String carrier) {
                blackhole.consume(new Decoded(partition, at, index, record.timestamp(), record.key(), record.value()));
            }

            @Override
            public void plain(Partition partition, long at, String plain) {
                throw new AssertionError("no plain record was offered");
            }
        };
        while (reader.undelivered(PARTITION) > 0) {
            blackhole.consume(reader.drain(1000, 1 << 20, sink));
        }
    }

    /**
     * Prints the rate by the thread's CPU time, which other load on the machine changes less than
     * the rate by the clock.
     */
    @TearDown(Level.Iteration)
    public void printCpuRate() {
        long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        System.out.printf(
                "%.2f GiB per CPU second%n", operations * (double) VOLUME / (1 << 30) / ((cpu - cpuNanos) / 1e9));
        startIteration();
    }

    /** Takes the time. */
    @Setup(Level.Iteration)
    public void startIteration() {
        cpuNanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        operations = 0;
    }

    /** Ends everything. */
    @TearDown(Level.Trial)
    public void close() {
        java.util.Objects.requireNonNull(debatcher).close();
        java.util.Objects.requireNonNull(engine).close();
        time.close();
        store.close();
    }
}
