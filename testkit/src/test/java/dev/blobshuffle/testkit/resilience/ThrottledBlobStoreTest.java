package dev.blobshuffle.testkit.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.resilience.ThrottlePolicy;
import dev.blobshuffle.core.internal.resilience.ThrottledBlobStore;
import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.simulator.store.StoreFault;
import dev.blobshuffle.simulator.store.StoreFault.Kind;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ThrottledBlobStoreTest {
    private static final int MOST = 8;
    private static final int WAITING = 20;

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final DecoratorFixture fixture = new DecoratorFixture(loans, 7);

    ThrottledBlobStoreTest() {
        ThrottlePolicy policy = new ThrottlePolicy(MOST, MOST, WAITING);
        fixture.decorate(store -> new ThrottledBlobStore(store, policy, fixture.time, fixture.metrics));
    }

    @AfterEach
    void end() {
        fixture.close();
    }

    private List<CompletableFuture<Void>> puts(int count) {
        List<CompletableFuture<Void>> puts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            puts.add(fixture.put());
        }
        return puts;
    }

    @Test
    void aBoundedNumberIsUnderWayAtATimeAndTheOthersFollowInOrder() {
        fixture.delay(100);
        List<CompletableFuture<Void>> puts = puts(MOST + WAITING);
        assertThat(fixture.counting.puts()).isEqualTo(MOST);
        assertThat(fixture.metrics.value(Gauge.STORE_REQUESTS_WAITING)).isEqualTo(WAITING);
        fixture.settle(150);
        assertThat(puts.subList(0, MOST)).allMatch(CompletableFuture::isDone);
        assertThat(puts.subList(2 * MOST, puts.size())).noneMatch(CompletableFuture::isDone);
        fixture.settle(1_000);
        puts.forEach(CompletableFuture::join);
        assertThat(fixture.counting.mostInFlight()).isEqualTo(MOST);
        assertThat(fixture.metrics.value(Gauge.STORE_REQUESTS_IN_FLIGHT)).isZero();
    }

    @Test
    void requestsThatEndAtOnceDoNotPileUpOnTheStack() {
        fixture.delay(100);
        List<CompletableFuture<Void>> puts = puts(MOST + WAITING);
        fixture.faulty.follow(request -> StoreFault.NONE);
        fixture.settle(100);
        puts.forEach(CompletableFuture::join);
    }

    @Test
    void whenTooManyWaitFurtherOnesAreRefusedAndHoldNothing() {
        fixture.delay(100);
        puts(MOST + WAITING);
        TrackedContent content = loans.content(new byte[10]);
        CompletableFuture<Void> refused = fixture.put(content);
        assertThatThrownBy(refused::join)
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(WAITING + " requests wait");
        assertThat(content.references()).isZero();
        fixture.settle(1_000);
    }

    @Test
    void aThrottlingStoreGetsFewerAtATimeAndMoreAgainWhenItHasRecovered() {
        throttledRounds(3);
        fixture.delay(100);
        fixture.counting.mostInFlight();
        puts(MOST);
        assertThat(fixture.counting.mostInFlight()).isBetween(2, 3); // 8 x 0.7 x 0.7 x 0.7
        fixture.settle(1_000);
        for (int i = 0; i < 30; i++) {
            puts(MOST);
            fixture.settle(1_000);
        }
        assertThat(fixture.counting.mostInFlight()).isEqualTo(MOST);
    }

    /** Rounds of requests that are refused together: one decrease each. */
    private void throttledRounds(int rounds) {
        fixture.faulty.follow(request -> new StoreFault(Kind.THROTTLE, java.time.Duration.ofMillis(10)));
        for (int i = 0; i < rounds; i++) {
            puts(2);
            fixture.settle(100);
        }
    }

    @Test
    void thereIsAlwaysRoomForOne() {
        throttledRounds(50);
        fixture.delay(100);
        List<CompletableFuture<Void>> puts = puts(3);
        fixture.settle(300);
        puts.forEach(CompletableFuture::join);
    }

    @Test
    void aRequestThatIsGivenUpBeforeItsTurnIsNeverSent() {
        fixture.delay(100);
        puts(MOST);
        TrackedContent content = loans.content(new byte[10]);
        CompletableFuture<Void> waiting = fixture.put(content);
        assertThat(content.references()).isEqualTo(1);
        Abandonable.abandon(waiting);
        assertThat(waiting).isCancelled();
        assertThat(content.references()).isZero();
        fixture.settle(1_000);
        assertThat(fixture.counting.puts()).isEqualTo(MOST);
    }

    @Test
    void theCloseFailsWhatWaits() {
        fixture.delay(100);
        List<CompletableFuture<Void>> puts = puts(MOST + 2);
        fixture.store.close();
        assertThatThrownBy(puts.get(MOST + 1)::join).hasCauseInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> fixture.put().join()).hasCauseInstanceOf(ClosedException.class);
        fixture.settle(1_000);
    }
}
