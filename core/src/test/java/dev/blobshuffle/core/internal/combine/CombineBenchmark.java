package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.SystemTime;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
 * A hub on one core: eight parts in, their checks, the combined blob, and eight answers. The store
 * discards it. The bytes' way over the network is not included.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xmx1g", "-XX:+UseParallelGC"})
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class CombineBenchmark {
    private static final int WRITERS = 8;

    /** Bytes of a part, about. */
    @Param({"65536", "1048576"})
    public int partBytes;

    /** Segments of a part. */
    @Param({"1", "72"})
    public int segments;

    private final SystemTime time = new SystemTime();
    private final List<BlobLayout> layouts = new ArrayList<>();
    private final List<ByteBuffer> parts = new ArrayList<>();
    private @Nullable Hub hub;
    private long bytes;
    private long operations;
    private long cpuNanos;

    /** Forgets what it stores. */
    private static final class Discarding extends ForwardingBlobStore {
        Discarding() {
            super(new MemoryBlobStore("discard", 1));
        }

        @Override
        public int fingerprint() {
            return TestParts.STORE;
        }

        @Override
        @SuppressWarnings("NullAway") // The only value of Void.
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            return CompletableFuture.completedFuture(null);
        }
    }

    /** Lays out the parts. */
    @Setup(Level.Trial)
    public void start() {
        byte[] value = new byte[partBytes / segments];
        for (int writer = 1; writer <= WRITERS; writer++) {
            BlobLayout layout = TestParts.layoutOf(TestParts.id(writer, 0), value, segments);
            layouts.add(layout);
            parts.add(ByteBuffer.wrap(TestParts.bytes(layout)));
            bytes += layout.length();
        }
        CombineOptions options = CombineOptions.of(4 << 20, 16 << 20, 64 << 20);
        hub = new Hub(new Discarding(), options, time, new ShuffleMetrics(), new Hub.Names(99, 0), owner -> true);
    }

    /** Hands all parts over. The first time, each writer is the only one that the hub knows. */
    @Benchmark
    public void combine(Blackhole blackhole) {
        operations++;
        Hub target = Objects.requireNonNull(hub);
        for (int i = 0; i < WRITERS; i++) {
            ByteBuffer part = parts.get(i).duplicate();
            if (!target.reserve(part.remaining())) {
                throw new AssertionError("the buffer has room for all parts");
            }
            blackhole.consume(target.take(layouts.get(i).id(), part, () -> {}));
        }
    }

    /** Prints the CPU time, which other load on the machine changes less than the clock's. */
    @TearDown(Level.Iteration)
    public void printCpuTime() {
        long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpuNanos;
        System.out.printf("%.3f CPU seconds per GiB%n", cpu / 1e9 / (operations * (double) bytes / (1 << 30)));
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
        Objects.requireNonNull(hub).close();
        time.close();
    }
}
