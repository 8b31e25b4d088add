package dev.blobshuffle.testkit.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.resilience.CircuitBreakingBlobStore;
import dev.blobshuffle.core.internal.resilience.CircuitPolicy;
import dev.blobshuffle.core.internal.resilience.RetryingBlobStore;
import dev.blobshuffle.core.internal.resilience.StoreRetryPolicy;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.simulator.store.StoreFault;
import dev.blobshuffle.simulator.store.StoreFault.Kind;
import dev.blobshuffle.testkit.LoanCheck;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CircuitBreakingBlobStoreTest {
    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final DecoratorFixture fixture = new DecoratorFixture(loans, 5);

    CircuitBreakingBlobStoreTest() {
        fixture.decorate(
                store -> new CircuitBreakingBlobStore(store, CircuitPolicy.USUAL, fixture.time, fixture.metrics));
    }

    @AfterEach
    void end() {
        fixture.close();
    }

    private void puts(Kind fault, int count, long millisBetween) {
        fixture.faulty.follow(request -> StoreFault.of(fault));
        for (int i = 0; i < count; i++) {
            assertThatThrownBy(() -> fixture.put().join()).hasCauseInstanceOf(StoreUnavailableException.class);
            fixture.settle(millisBetween);
        }
    }

    private void goDown() {
        puts(Kind.FAIL_BEFORE, 5, 300);
        assertThat(fixture.metrics.value(Gauge.STORE_CIRCUITS_OPEN)).isEqualTo(1);
    }

    @Test
    void afterFailuresInARowTheStoreIsLeftAlone() {
        goDown();
        assertThat(fixture.counting.puts()).isEqualTo(5);
        puts(Kind.FAIL_BEFORE, 6, 100);
        assertThat(fixture.counting.puts()).isEqualTo(5);
        assertThatThrownBy(() -> fixture.put().join()).hasMessageContaining("failed several times in a row");
    }

    @Test
    void aBurstOfFailuresIsNoOutage() {
        puts(Kind.FAIL_BEFORE, 20, 0);
        assertThat(fixture.counting.puts()).isEqualTo(20);
    }

    @Test
    void anyAnswerBetweenStartsTheCountAnew() {
        for (int i = 0; i < 3; i++) {
            puts(Kind.FAIL_BEFORE, 4, 300);
            fixture.faulty.follow(request -> StoreFault.NONE);
            fixture.put().join();
        }
        assertThat(fixture.metrics.value(Gauge.STORE_CIRCUITS_OPEN)).isZero();
    }

    @Test
    void throttlingIsNoOutageAndAMissingBlobIsAnAnswer() {
        puts(Kind.THROTTLE, 10, 500);
        fixture.faulty.follow(request -> StoreFault.of(Kind.MISSING));
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(() -> fixture.get(new BlobId(9, 9, 9)).join())
                    .hasCauseInstanceOf(BlobMissingException.class);
            fixture.settle(500);
        }
        assertThat(fixture.metrics.value(Gauge.STORE_CIRCUITS_OPEN)).isZero();
    }

    @Test
    void oneProbeAtATimeIsSentAndItsPauseDoublesToTwoSeconds() {
        goDown();
        int asked = fixture.counting.puts();
        for (int second = 0; second < 30; second++) {
            puts(Kind.FAIL_BEFORE, 10, 100);
        }
        // Probes after 1, 2, 2, 2 … s, each a little later than it might be.
        assertThat(fixture.counting.puts() - asked).isBetween(12, 15);
        fixture.delay(1_000);
        fixture.settle(2_000);
        CompletableFuture<Void> probe = fixture.put();
        assertThatThrownBy(() -> fixture.put().join()).hasCauseInstanceOf(StoreUnavailableException.class);
        fixture.settle(1_000);
        probe.join();
    }

    @Test
    void anAnsweredProbeLetsEverybodyIn() {
        goDown();
        fixture.faulty.follow(request -> StoreFault.NONE);
        fixture.settle(1_000);
        fixture.put().join();
        fixture.put().join();
        assertThat(fixture.metrics.value(Gauge.STORE_CIRCUITS_OPEN)).isZero();
        assertThat(fixture.value(Counter.STORE_OUTAGES)).isEqualTo(1);
    }

    @Test
    void readsHaveACircuitOfTheirOwn() {
        BlobId id = fixture.stored();
        goDown();
        fixture.faulty.follow(request -> StoreFault.NONE);
        fixture.get(id).join().close();
        assertThatThrownBy(() -> fixture.put().join()).hasCauseInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aCallerWithAnotherWayFailsAtOnce() {
        goDown();
        StoreRetryPolicy hasty =
                StoreRetryPolicy.within(Duration.ofSeconds(30)).whenDown(StoreRetryPolicy.WhenDown.FAIL);
        fixture.decorate(circuit -> new RetryingBlobStore(circuit, hasty, fixture.time, fixture.metrics));
        assertThatThrownBy(() -> fixture.put().join()).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThat(fixture.counting.puts()).isEqualTo(5);
    }

    @Test
    void aPutThatWaitsForTheStoreIsStoredOnceItIsBack() {
        goDown();
        StoreRetryPolicy waiting = StoreRetryPolicy.within(Duration.ofSeconds(60));
        fixture.decorate(circuit -> new RetryingBlobStore(circuit, waiting, fixture.time, fixture.metrics));
        CompletableFuture<Void> put = fixture.put();
        fixture.settle(20_000);
        assertThat(put).isNotDone();
        fixture.faulty.follow(request -> StoreFault.NONE);
        fixture.settle(15_000);
        put.join();
    }
}
