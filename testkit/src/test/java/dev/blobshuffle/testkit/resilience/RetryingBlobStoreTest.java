package dev.blobshuffle.testkit.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.resilience.RequestLatencies;
import dev.blobshuffle.core.internal.resilience.RetryingBlobStore;
import dev.blobshuffle.core.internal.resilience.StoreRetryPolicy;
import dev.blobshuffle.core.internal.resilience.TimeLimitedBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.FaultPlan;
import dev.blobshuffle.simulator.store.FaultyBlobStore;
import dev.blobshuffle.simulator.store.StoreFault;
import dev.blobshuffle.simulator.store.StoreFault.Kind;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RetryingBlobStoreTest {
    private static final BlobId ID = new BlobId(1, 2, 3);
    private static final Duration TOTAL = Duration.ofSeconds(10);
    private static final StoreRetryPolicy POLICY =
            new StoreRetryPolicy(Duration.ofMillis(100), Duration.ofSeconds(1), TOTAL, StoreRetryPolicy.WhenDown.WAIT);
    private static final Duration ATTEMPT = Duration.ofSeconds(3);
    private static final StoreFault ALWAYS = StoreFault.of(Kind.FAIL_BEFORE);

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final SimulatedTime time = new SimulatedTime(11);
    private final ShuffleMetrics metrics = new ShuffleMetrics();
    private final FaultyBlobStore faulty =
            new FaultyBlobStore(loans.watch(new MemoryBlobStore("retries", 1 << 20)), time, request -> StoreFault.NONE);
    private final BlobStore limited = new TimeLimitedBlobStore(faulty, ATTEMPT, new RequestLatencies(), time, metrics);
    private final BlobStore store = new RetryingBlobStore(limited, POLICY, time, metrics);

    @AfterEach
    void end() {
        store.close();
        time.close();
    }

    private CompletableFuture<Void> put() {
        TrackedContent content = loans.content(new byte[] {1, 2, 3});
        CompletableFuture<Void> put = store.put(ID, content).toCompletableFuture();
        content.release();
        return put;
    }

    @Test
    void aStoreThatComesBackIsTriedUntilItDoes() throws Exception {
        faulty.follow(FaultPlan.puts(ALWAYS, StoreFault.of(Kind.FAIL_AFTER), ALWAYS));
        CompletableFuture<Void> put = put();
        assertThat(put).isNotDone();
        time.settle(TOTAL);
        put.join();
        assertThat(metrics.value(Counter.STORE_RETRIES)).isEqualTo(3);
        try (BlobBytes bytes =
                store.get(ID, BlobRange.of(0, 3)).toCompletableFuture().join()) {
            assertThat(bytes.buffer().get(2)).isEqualTo((byte) 3); // The content was held over all attempts.
        }
    }

    @Test
    void otherFailuresPassAtOnce() {
        assertThatThrownBy(() ->
                        store.get(ID, BlobRange.of(0, 1)).toCompletableFuture().join())
                .hasCauseInstanceOf(BlobMissingException.class);
        assertThat(metrics.value(Counter.STORE_RETRIES)).isZero();
    }

    @Test
    void anOperationEndsWithItsTotalAndSaysHowOftenItTried() {
        faulty.follow(request -> ALWAYS);
        long start = time.nanos();
        long[] end = new long[1];
        CompletableFuture<Void> put = put();
        put.whenComplete((nothing, failure) -> end[0] = time.nanos() - start);
        time.settle(TOTAL.plusSeconds(1));
        assertThatThrownBy(put::join)
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("for 10000 ms, in " + (metrics.value(Counter.STORE_RETRIES) + 1) + " attempts")
                .hasMessageContaining("planned by the test");
        assertThat(end[0]).isBetween(TOTAL.minusSeconds(1).toNanos(), TOTAL.toNanos());
        // Pauses of 50 ms on average, then 100, 200, 400, and 500 from then on.
        assertThat(metrics.value(Counter.STORE_RETRIES)).isBetween(14L, 40L);
    }

    @Test
    void anAttemptWithoutAnAnswerCountsAsFailed() {
        faulty.follow(FaultPlan.puts(StoreFault.of(Kind.HANG)));
        CompletableFuture<Void> put = put();
        time.settle(Duration.ofMillis(2_900));
        assertThat(put).isNotDone();
        time.settle(Duration.ofMillis(500));
        put.join();
    }

    @Test
    void aLateAnswerCountsWhenItComesBeforeThatOfTheNextAttempt() {
        faulty.follow(FaultPlan.puts(new StoreFault(Kind.DELAY, Duration.ofSeconds(5)), StoreFault.of(Kind.HANG)));
        CompletableFuture<Void> put = put();
        time.settle(Duration.ofMillis(4_900));
        assertThat(put).isNotDone();
        assertThat(metrics.value(Counter.REQUESTS_TIMED_OUT)).isEqualTo(1);
        time.settle(Duration.ofMillis(200));
        put.join();
    }

    @Test
    void anAnswerThatIsTooLateGoesBack() {
        put().join();
        faulty.follow(FaultPlan.gets(new StoreFault(Kind.DELAY, Duration.ofSeconds(5))));
        CompletableFuture<BlobBytes> get = store.get(ID, BlobRange.of(0, 3)).toCompletableFuture();
        time.settle(Duration.ofSeconds(4));
        get.join().close();
        time.settle(Duration.ofSeconds(
                4)); // The check after the test finds the bytes of the first attempt, were they kept.
    }

    @Test
    void repeatedRequestsKeepToTheirBudget() {
        faulty.follow(request -> ALWAYS);
        for (int i = 0; i < 1000; i++) {
            put();
        }
        time.settle(TOTAL.plusSeconds(1));
        // A tenth of the operations, twenty at the start (full, so the tenths were lost), and five
        // per second.
        assertThat(metrics.value(Counter.STORE_RETRIES)).isBetween(60L, 71L);
    }

    @Test
    void anOperationThatIsGivenUpWhileItPausesEndsAtOnceAndAsksNoMore() {
        faulty.follow(request -> ALWAYS);
        CompletableFuture<BlobBytes> get = store.get(ID, BlobRange.of(0, 3)).toCompletableFuture();
        Abandonable.abandon(get);
        assertThat(get).isCancelled();
        long asked = faulty.faults();
        time.settle(TOTAL);
        assertThat(faulty.faults()).isEqualTo(asked);
    }

    @Test
    void anOperationThatIsGivenUpDuringAnAttemptEndsWithIt() {
        put().join();
        faulty.follow(FaultPlan.gets(new StoreFault(Kind.DELAY, Duration.ofSeconds(2))));
        CompletableFuture<BlobBytes> get = store.get(ID, BlobRange.of(0, 3)).toCompletableFuture();
        Abandonable.abandon(get);
        assertThat(get).isNotDone();
        time.settle(Duration.ofSeconds(2));
        assertThat(get).isCancelled();
    }

    @Test
    void aStoreThatHangsForEverEndsTheOperationWithItsTotal() {
        faulty.follow(request -> StoreFault.of(Kind.HANG));
        CompletableFuture<Void> put = put();
        time.settle(TOTAL.plusSeconds(1));
        assertThatThrownBy(put::join)
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("no answer");
    }

    @Test
    void theCloseEndsWhatIsPending() {
        faulty.follow(request -> ALWAYS);
        CompletableFuture<Void> put = put();
        store.close();
        assertThatThrownBy(put::join).hasCauseInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> put().join()).hasCauseInstanceOf(ClosedException.class);
    }
}
