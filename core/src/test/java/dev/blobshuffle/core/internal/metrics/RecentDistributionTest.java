package dev.blobshuffle.core.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecentDistributionTest {
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5); // The clock overflows, which must not matter.
    private final RecentDistribution distribution = new RecentDistribution(clock::get);

    private void pass(int seconds) {
        clock.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void aDurationCountsForThirtySecondsAndNoLongerThanSixty() {
        pass(29);
        distribution.record(1_000);
        for (int i = 0; i < 30; i++) {
            assertThat(distribution.recent().max()).isEqualTo(1_000);
            pass(1);
        }
        pass(1);
        assertThat(distribution.recent().count()).isZero();
        assertThat(distribution.recent().max()).isZero();
    }

    @Test
    void aNewSampleBeginsEmpty() {
        for (int i = 1; i <= 100; i++) {
            distribution.record(i);
            assertThat(distribution.recent().count()).isEqualTo(Math.min(i, 2));
            assertThat(distribution.recent().max()).isEqualTo(i);
            pass(30);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {60, 90, 3600, 100_000})
    void nothingIsLeftAfterAPause(int seconds) {
        distribution.record(7);
        pass(30);
        distribution.record(8);
        pass(seconds);

        assertThat(distribution.recent().count()).isZero();
        distribution.record(9);
        assertThat(distribution.recent().count()).isEqualTo(1);
        assertThat(distribution.recent().percentile(0.01)).isEqualTo(9);
    }
}
