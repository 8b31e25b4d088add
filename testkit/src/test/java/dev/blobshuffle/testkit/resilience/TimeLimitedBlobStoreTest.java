package dev.blobshuffle.testkit.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.resilience.HedgePolicy;
import dev.blobshuffle.core.internal.resilience.HedgingBlobStore;
import dev.blobshuffle.core.internal.resilience.RequestLatencies;
import dev.blobshuffle.core.internal.resilience.TimeLimitedBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.testkit.LoanCheck;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class TimeLimitedBlobStoreTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(15);

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final DecoratorFixture fixture = new DecoratorFixture(loans, 9);

    TimeLimitedBlobStoreTest() {
        RequestLatencies latencies = new RequestLatencies();
        fixture.decorate(store ->
                        new HedgingBlobStore(store, HedgePolicy.NEVER, latencies, fixture.time, fixture.metrics))
                .decorate(store -> new TimeLimitedBlobStore(store, TIMEOUT, latencies, fixture.time, fixture.metrics));
    }

    @AfterEach
    void end() {
        fixture.close();
    }

    private void learn(long millis) {
        fixture.delay(millis);
        for (int i = 0; i < 120; i++) {
            fixture.put();
        }
        fixture.settle(millis);
    }

    /** How long a request that has no answer is waited for, to 100 ms. */
    private long patienceMillis(CompletableFuture<?> request) {
        long waited = 0;
        while (!request.isDone()) {
            fixture.settle(100);
            waited += 100;
        }
        assertThatThrownBy(request::join)
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("no answer");
        return waited;
    }

    @Test
    void untilEnoughWasSeenTheRequestTimeoutCounts() {
        fixture.delay(100_000);
        assertThat(patienceMillis(fixture.put())).isEqualTo(TIMEOUT.toMillis());
        assertThat(fixture.value(Counter.REQUESTS_TIMED_OUT)).isEqualTo(1);
    }

    @Test
    void thenFourTimesWhatNearlyAllTake() {
        learn(1_000);
        fixture.delay(100_000);
        assertThat(patienceMillis(fixture.put())).isEqualTo(4_000);
    }

    @Test
    void butNeverLessThanTwoSeconds() {
        learn(10);
        fixture.delay(100_000);
        assertThat(patienceMillis(fixture.put())).isEqualTo(2_000);
    }

    @Test
    void aLargeBlobHasTheTimeOfASlowLine() {
        fixture.delay(100_000);
        assertThat(patienceMillis(fixture.put(loans.content(new byte[20 << 20]))))
                .isEqualTo(20_000);
    }

    @Test
    void aLateAnswerTeachesAndItsBytesGoBack() {
        BlobId id = fixture.stored();
        fixture.delay(20_000);
        for (int i = 0; i < 120; i++) {
            CompletableFuture<BlobBytes> ignored = fixture.get(id);
        }
        fixture.settle(20_000);
        assertThat(fixture.value(Counter.REQUESTS_TIMED_OUT)).isEqualTo(120);
        assertThat(patienceMillis(fixture.get(id))).isEqualTo(TIMEOUT.toMillis()); // 4 x 20 s, at most the timeout.
        fixture.settle(20_000);
    }
}
