package dev.blobshuffle.flightdaemon.internal.server.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Checks which transfers count as too slow. */
class TransferRateTest {
    private final TransferRate rate = new TransferRate(100, Duration.ofNanos(10), 1000, 5);

    @Test
    void aTransferWithTheLeastRateIsNeverTooSlow() {
        for (int period = 1; period <= 20; period++) {
            assertThat(rate.isTooSlow(1000 + period * 10, 5 + period * 100)).isFalse();
        }
    }

    @Test
    void aPeriodWithFewerBytesIsTooSlow() {
        assertThat(rate.isTooSlow(1010, 104)).isFalse();
        assertThat(rate.isTooSlow(1011, 104)).isTrue();
        assertThat(rate.isTooSlow(1012, 105)).isFalse();
        assertThat(rate.isTooSlow(1022, 204)).isFalse();
        assertThat(rate.isTooSlow(1023, 204)).isTrue();
    }

    @Test
    void timeInWhichNobodyWaitsDoesNotCount() {
        assertThat(rate.isTooSlow(1011, 6)).isTrue();
        rate.restart(5000, 6);
        assertThat(rate.isTooSlow(5010, 7)).isFalse();
        assertThat(rate.isTooSlow(5011, 7)).isTrue();
    }
}
