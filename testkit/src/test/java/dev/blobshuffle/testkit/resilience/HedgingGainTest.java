package dev.blobshuffle.testkit.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.resilience.ResilienceOptions;
import dev.blobshuffle.core.internal.resilience.ResilienceOptions.Hedging;
import dev.blobshuffle.core.internal.resilience.StoreRetryPolicy;
import dev.blobshuffle.core.internal.resilience.StoreStack;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.SlowBlobStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What hedging brings and costs, with latencies of a model, in virtual time: blobs of 16 MiB, four
 * puts and four gets per second as an instance that shuffles 64 MiB per second has them. Each
 * case prints a row of {@code docs/benchmarks/stores.md}; the same seed gives the same row.
 */
class HedgingGainTest {
    private static final long SEED = 1;
    private static final int DOCUMENTED = 20_000;
    private static final int REQUESTS = Integer.getInteger("hedging.requests", DOCUMENTED);
    private static final Path PAGE = Path.of("../docs/benchmarks/stores.md");
    private static final long BLOB_BYTES = 16 << 20;
    private static final Duration BETWEEN = Duration.ofMillis(250);

    @ParameterizedTest
    @CsvSource({"s3-standard, put", "s3-standard, get", "s3-blobshuffle-paper, put", "s3-blobshuffle-paper, get"})
    void theTailIsCutForAFewMoreRequests(String profileName, String kind) {
        LatencyProfile profile = LatencyProfile.all().stream()
                .filter(known -> known.name().equals(profileName))
                .findFirst()
                .orElseThrow();
        Outcome without = run(profile, kind, Hedging.OFF);
        Outcome with = run(profile, kind, Hedging.ON);
        String row = String.format(
                Locale.ROOT, "| `%s` | %s | %s | %s | %.1f %% |", profileName, kind, without, with, with.extra());
        System.out.println(row);
        if (REQUESTS == DOCUMENTED) {
            assertThat(PAGE).content().contains(row);
        }
        assertThat(without.extra()).isZero();
        assertThat(with.extra()).isBetween(2.0, 5.01);
        assertThat(with.millis(0.999)).isLessThan(0.75 * without.millis(0.999));
        assertThat(with.millis(0.99)).isLessThan(without.millis(0.99));
        assertThat(with.millis(0.5)).isLessThan(1.02 * without.millis(0.5));
    }

    private static Outcome run(LatencyProfile profile, String kind, Hedging hedging) {
        ShuffleMetrics metrics = new ShuffleMetrics();
        long[] nanos = new long[REQUESTS];
        try (SimulatedTime time = new SimulatedTime(SEED)) {
            BlobStore slow = new SlowBlobStore(new NothingToDo(), profile, time);
            ResilienceOptions options = new ResilienceOptions(Duration.ofSeconds(15), hedging);
            BlobStore stack = StoreStack.over(
                    slow,
                    StoreRetryPolicy.within(Duration.ofMinutes(2)),
                    Duration.ofMinutes(2),
                    options,
                    time,
                    metrics);
            for (int i = 0; i < REQUESTS; i++) {
                long begin = time.nanos();
                int number = i;
                BlobId id = new BlobId(1, 1, i);
                CompletionStage<?> request = kind.equals("put")
                        ? stack.put(id, new Length(BLOB_BYTES))
                        : stack.get(id, BlobRange.of(0, BLOB_BYTES));
                var ignored = request.thenRun(() -> nanos[number] = time.nanos() - begin);
                time.settle(BETWEEN);
            }
            time.settle(Duration.ofMinutes(3));
            stack.close();
        }
        Arrays.sort(nanos);
        assertThat(nanos[0]).isPositive(); // Each has ended.
        long sent = metrics.value(Counter.PUTS) + metrics.value(Counter.GETS);
        return new Outcome(nanos, 100.0 * (sent - REQUESTS) / REQUESTS);
    }

    /** Sorted latencies of operations, and the share of extra requests in percent. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Outcome(long[] nanos, double extra) {
        double millis(double share) {
            return nanos[(int) Math.ceil(nanos.length * share) - 1] / 1e6;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT, "%.0f / %.0f / %.0f / %.0f", millis(0.5), millis(0.95), millis(0.99), millis(0.999));
        }
    }

    /** A store that does nothing, at once. */
    private static final class NothingToDo extends ForwardingBlobStore {
        NothingToDo() {
            super(new MemoryBlobStore("nothing", 1));
        }

        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            return CompletableFuture.completedFuture(BlobBytes.of(ByteBuffer.allocate(0)));
        }
    }

    /** Content of which only the length matters. */
    private record Length(long length) implements BlobContent {
        @Override
        public List<ByteBuffer> buffers() {
            return List.of();
        }

        @Override
        public void retain() {}

        @Override
        public void release() {}
    }
}
