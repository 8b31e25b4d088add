package dev.blobshuffle.testkit.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.resilience.ResilienceOptions;
import dev.blobshuffle.core.internal.resilience.ResilienceOptions.Hedging;
import dev.blobshuffle.core.internal.resilience.StoreRetryPolicy;
import dev.blobshuffle.core.internal.resilience.StoreStack;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.FaultyBlobStore;
import dev.blobshuffle.simulator.store.StoreFault;
import dev.blobshuffle.simulator.store.StoreFault.Kind;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The whole stack over random schedules of slow, failing, throttling and hanging requests; the seed
 * of a failing schedule is in its message.
 */
class StoreStackPropertyTest {
    private static final long SEEDS = Long.getLong("stack.seeds", 30);
    private static final Duration DEADLINE = Duration.ofSeconds(40);
    private static final Duration TROUBLE = Duration.ofSeconds(60);
    private static final int OPERATIONS = 250;

    @Test
    void everyOperationEndsInTimeNothingLeaksAndNoBudgetIsExceeded() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            try (Schedule schedule = new Schedule(seed, seed % 3 == 0 ? Hedging.OFF : Hedging.ON)) {
                schedule.run();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("Seed " + seed + " of the stack's schedules failed: " + e.getMessage(), e);
            }
        }
    }

    @Test
    void withHedgingOffAndNoFailuresNothingIsSentTwice() {
        for (long seed = 1; seed <= 5; seed++) {
            try (Schedule schedule = new Schedule(seed, Hedging.OFF)) {
                schedule.isHealthy = true;
                schedule.run();
                assertThat(schedule.counting.mostPutsOfOne()).isEqualTo(1);
                assertThat(schedule.metrics.value(Counter.STORE_RETRIES)).isZero();
            }
        }
    }

    /** A remote store, as far as hedges are concerned. */
    private static final class Remote extends ForwardingBlobStore {
        Remote(BlobStore store) {
            super(store);
        }

        @Override
        public boolean isRemote() {
            return true;
        }
    }

    private static final class Schedule implements AutoCloseable {
        private final SimulatedTime time;
        private final LoanCheck loans = new LoanCheck(Duration.ZERO);
        private final ShuffleMetrics metrics = new ShuffleMetrics();
        private final FaultyBlobStore faulty;
        private final CountingBlobStore counting;
        private final BlobStore stack;
        private final Hedging hedging;
        private final List<CompletableFuture<Void>> puts = new ArrayList<>();
        private final List<CompletableFuture<BlobBytes>> gets = new ArrayList<>();
        private final int faultsInAThousand;
        private final int usualMillis;
        private boolean isHealthy;
        private int tooLate;

        Schedule(long seed, Hedging hedging) {
            this.hedging = hedging;
            time = new SimulatedTime(seed);
            faultsInAThousand = List.of(0, 20, 200, 900).get(time.random(4));
            usualMillis = 1 + time.random(1_500);
            faulty = new FaultyBlobStore(loans.watch(new MemoryBlobStore("stack", 1 << 24)), time, request -> next());
            counting = new CountingBlobStore(faulty);
            stack = StoreStack.over(
                    new Remote(counting),
                    StoreRetryPolicy.within(DEADLINE),
                    DEADLINE,
                    new ResilienceOptions(Duration.ofSeconds(15), hedging),
                    time,
                    metrics);
        }

        private StoreFault next() {
            boolean isOver = time.elapsed().compareTo(TROUBLE) > 0;
            if (isOver || isHealthy || time.random(1000) >= faultsInAThousand) {
                int slow = time.random(20) == 0 ? 5 : 1;
                return new StoreFault(Kind.DELAY, Duration.ofMillis((long) time.random(usualMillis) * slow));
            }
            Kind kind = List.of(Kind.FAIL_BEFORE, Kind.FAIL_AFTER, Kind.THROTTLE, Kind.HANG, Kind.DELAY, Kind.TRUNCATE)
                    .get(time.random(6));
            return new StoreFault(kind, Duration.ofMillis(time.random(kind == Kind.DELAY ? 30_000 : 500)));
        }

        void run() {
            BlobId readable = new BlobId(1, 1, 1_000_000);
            isHealthyPut(readable);
            for (int i = 0; i < OPERATIONS; i++) {
                Duration at = Duration.ofMillis(time.random(50_000));
                long sequence = i;
                if (time.random(2) == 0) {
                    time.schedule(at, () -> put(new BlobId(1, 1, sequence)));
                } else {
                    time.schedule(at, () -> get(readable));
                }
            }
            time.settle(Duration.ofMinutes(8));
            assertThat(tooLate).as("operations that ended after their deadline").isZero();
            assertThat(puts).as("puts").allMatch(CompletableFuture::isDone);
            assertThat(gets).as("gets").allMatch(CompletableFuture::isDone);
            assertThat(metrics.value(Gauge.STORE_REQUESTS_IN_FLIGHT)).isZero();
            assertThat(metrics.value(Gauge.STORE_REQUESTS_WAITING)).isZero();
            checkRequests();
            faulty.close(); // What hangs ends.
            loans.check();
        }

        private void isHealthyPut(BlobId id) {
            boolean before = isHealthy;
            isHealthy = true;
            put(id);
            time.settle(Duration.ofSeconds(10));
            isHealthy = before;
        }

        private void put(BlobId id) {
            TrackedContent content = loans.content(new byte[1 + time.random(200_000)]);
            Duration begin = time.elapsed();
            CompletableFuture<Void> put = stack.put(id, content).toCompletableFuture();
            content.release();
            puts.add(put);
            var ignored = put.whenComplete((nothing, failure) -> {
                if (time.elapsed().minus(begin).compareTo(DEADLINE) > 0) {
                    tooLate++;
                }
            });
        }

        private void get(BlobId id) {
            CompletableFuture<BlobBytes> get = stack.get(id, BlobRange.of(0, 1)).toCompletableFuture();
            gets.add(get);
            var ignored = get.thenAccept(BlobBytes::close);
            if (time.random(5) == 0) {
                time.schedule(Duration.ofMillis(time.random(5_000)), () -> Abandonable.abandon(get));
            }
        }

        /** No request that no budget paid for. */
        private void checkRequests() {
            long hedges = metrics.value(Counter.HEDGES);
            long retries = metrics.value(Counter.STORE_RETRIES);
            long requests = counting.puts() + counting.gets();
            long operations = puts.size() + gets.size();
            assertThat(requests).isEqualTo(metrics.value(Counter.PUTS) + metrics.value(Counter.GETS));
            assertThat(requests).as("requests").isLessThanOrEqualTo(operations + retries + hedges);
            // For puts and for gets: one at the start, and a share of the usual requests.
            assertThat(hedges).as("hedges").isLessThanOrEqualTo((long) (2 + 0.05 * (requests - hedges)));
            if (hedging == Hedging.OFF) {
                assertThat(hedges).isZero();
            }
            double span = time.elapsed().toMillis() / 1000.0;
            assertThat(retries).as("retries").isLessThanOrEqualTo((long) (2 * (20 + 5 * span) + 0.1 * operations));
        }

        @Override
        public void close() {
            stack.close();
            time.close();
        }
    }
}
