package dev.blobshuffle.testkit.resilience;

import static dev.blobshuffle.testkit.resilience.DecoratorFixture.delayed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.resilience.HedgePolicy;
import dev.blobshuffle.core.internal.resilience.HedgingBlobStore;
import dev.blobshuffle.core.internal.resilience.RequestLatencies;
import dev.blobshuffle.core.internal.resilience.ThrottlePolicy;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.simulator.store.FaultPlan;
import dev.blobshuffle.simulator.store.StoreFault;
import dev.blobshuffle.simulator.store.StoreFault.Kind;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class HedgingBlobStoreTest {
    private static final HedgePolicy USUAL = HedgePolicy.within(ThrottlePolicy.USUAL);

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final DecoratorFixture fixture = hedging(USUAL);

    private DecoratorFixture hedging(HedgePolicy policy) {
        DecoratorFixture made = new DecoratorFixture(loans, 3);
        return made.decorate(
                store -> new HedgingBlobStore(store, policy, new RequestLatencies(), made.time, made.metrics));
    }

    @AfterEach
    void end() {
        fixture.close();
    }

    /** Puts until percentiles are known: every one takes so long. */
    private void learn(int requests, long millis) {
        fixture.delay(millis);
        for (int i = 0; i < requests; i++) {
            CompletableFuture<Void> put = fixture.put();
            fixture.settle(millis);
            put.join();
        }
    }

    @Test
    void aSlowPutIsSentAgainAndHoldsItsContentUntilBothHaveEnded() {
        fixture.faulty.follow(FaultPlan.puts(delayed(10_000), delayed(100)));
        TrackedContent content = loans.content(new byte[100]);
        CompletableFuture<Void> put = fixture.put(content);
        fixture.settle(2_050);
        assertThat(put).isNotDone();
        assertThat(fixture.counting.puts()).isEqualTo(2);
        fixture.settle(100);
        put.join();
        assertThat(fixture.value(Counter.HEDGES_WON)).isEqualTo(1);
        assertThat(content.references()).isEqualTo(1); // That of the first request.
        fixture.settle(10_000);
        assertThat(content.references()).isZero();
    }

    @Test
    void theBytesOfTheReadThatLostGoBack() {
        BlobId id = fixture.stored();
        fixture.faulty.follow(FaultPlan.gets(delayed(5_000), delayed(100)));
        CompletableFuture<BlobBytes> get = fixture.get(id);
        fixture.settle(1_150);
        get.join().close();
        fixture.settle(5_000);
        assertThat(fixture.value(Counter.HEDGES))
                .isEqualTo(1); // And the loan check finds the other's bytes, were they kept.
    }

    @Test
    void theFirstRequestMayStillWin() {
        fixture.faulty.follow(FaultPlan.puts(delayed(2_500), delayed(1_000)));
        CompletableFuture<Void> put = fixture.put();
        fixture.settle(2_600);
        put.join();
        assertThat(fixture.value(Counter.HEDGES)).isEqualTo(1);
        assertThat(fixture.value(Counter.HEDGES_WON)).isZero();
    }

    @Test
    void onceEnoughWasSeenTheTimeIsThatOfMostRequests() {
        learn(100, 300);
        assertThat(fixture.value(Counter.HEDGES)).isZero();
        fixture.faulty.follow(FaultPlan.puts(delayed(10_000), delayed(300)));
        CompletableFuture<Void> put = fixture.put();
        fixture.settle(299);
        assertThat(fixture.counting.puts()).isEqualTo(101);
        fixture.settle(2);
        assertThat(fixture.counting.puts()).isEqualTo(102);
        fixture.settle(300);
        put.join();
    }

    @Test
    void nothingIsSentAgainBeforeTheLeastDelay() {
        learn(100, 1);
        fixture.faulty.follow(FaultPlan.puts(delayed(1_000)));
        CompletableFuture<Void> put = fixture.put();
        fixture.settle(49);
        assertThat(fixture.value(Counter.HEDGES)).isZero();
        fixture.settle(2);
        assertThat(fixture.value(Counter.HEDGES)).isEqualTo(1);
        put.join();
    }

    @Test
    void secondRequestsKeepToTheirBudgetAndFewAreUnderWayAtATime() {
        fixture.delay(5_000); // Slower than the usual first delay, each of them.
        for (int i = 0; i < 400; i++) {
            fixture.put();
            fixture.settle(1_000);
            assertThat(fixture.value(Counter.HEDGES)).isLessThanOrEqualTo((long) (1 + 0.05 * (i + 1)));
            assertThat(fixture.counting.mostInFlight()).isLessThanOrEqualTo(6 + USUAL.puts());
        }
        fixture.settle(10_000);
        assertThat(fixture.counting.mostPutsOfOne()).isEqualTo(2);
        assertThat(fixture.value(Counter.HEDGES)).isPositive();
    }

    @Test
    void nothingIsSentTwiceWhileHedgingIsOff() {
        try (DecoratorFixture off = hedging(HedgePolicy.NEVER)) {
            off.delay(60_000);
            for (int i = 0; i < 300; i++) {
                off.put();
            }
            off.settle(100_000);
            assertThat(off.counting.puts()).isEqualTo(300);
        }
    }

    @Test
    void nothingIsSentTwiceWhileTheStoreThrottles() {
        learn(100, 100);
        fixture.faulty.follow(request -> StoreFault.of(Kind.THROTTLE));
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> fixture.put().join()).hasCauseInstanceOf(StoreUnavailableException.class);
        }
        fixture.faulty.follow(FaultPlan.puts(delayed(5_000)));
        fixture.put();
        fixture.settle(6_000);
        assertThat(fixture.value(Counter.HEDGES)).isZero();
        learn(300, 100);
        learn(40, 10); // Refills the budget.
        long before = fixture.value(Counter.HEDGES);
        fixture.faulty.follow(FaultPlan.puts(delayed(5_000)));
        fixture.put();
        fixture.settle(6_000);
        assertThat(fixture.value(Counter.HEDGES)).isEqualTo(before + 1);
    }

    @Test
    void nothingIsSentTwiceWhileTheStoreIsSlowAsAWhole() {
        learn(500, 100);
        learn(64, 1_000);
        long before = fixture.value(Counter.HEDGES);
        learn(64, 1_000);
        assertThat(fixture.value(Counter.HEDGES)).isEqualTo(before);
    }

    @Test
    void aFailureDoesNotCountWhileTheOtherRequestIsUnderWay() {
        BlobId id = fixture.stored();
        fixture.faulty.follow(FaultPlan.gets(delayed(3_000), StoreFault.of(Kind.FAIL_BEFORE)));
        CompletableFuture<BlobBytes> get = fixture.get(id);
        fixture.settle(2_900);
        assertThat(get).isNotDone();
        fixture.settle(200);
        get.join().close();
    }

    @Test
    void aFailureBeforeTheSecondRequestPassesAtOnce() {
        fixture.faulty.follow(FaultPlan.puts(StoreFault.of(Kind.FAIL_BEFORE)));
        assertThatThrownBy(() -> fixture.put().join()).hasCauseInstanceOf(StoreUnavailableException.class);
        fixture.settle(10_000);
        assertThat(fixture.counting.puts()).isEqualTo(1);
    }

    @Test
    void aLastingFailureOfEitherPassesAtOnce() {
        BlobId id = fixture.stored();
        fixture.faulty.follow(FaultPlan.gets(delayed(3_000), StoreFault.of(Kind.MISSING)));
        CompletableFuture<BlobBytes> get = fixture.get(id);
        fixture.settle(1_100);
        assertThatThrownBy(get::join).hasCauseInstanceOf(BlobMissingException.class);
        fixture.settle(3_000);
    }
}
