package dev.blobshuffle.core.internal.pricing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CalibrationTest {
    private final Calibration calibration = new Calibration();
    private final SplittableRandom random = new SplittableRandom(5);

    /** Measures latencies between 0 and a maximum; the model predicts a p95 of 1. */
    private void measure(int count, double most) {
        for (int i = 0; i < count; i++) {
            calibration.took(calibration.factor(), most * random.nextDouble());
        }
    }

    @Test
    void theFactorGoesToWhereOneInTwentyIsLonger() {
        measure(5000, 1.3);
        assertThat(calibration.factor()).isBetween(0.95 * 1.3 - 0.1, 0.95 * 1.3 + 0.1);
        measure(20_000, 1 / 0.95);
        assertThat(calibration.factor()).isBetween(0.93, 1.07);
    }

    @Test
    void alwaysLateRaisesItWithinHalfAMinuteOfBatches() {
        measure(36, 1e6);
        assertThat(calibration.factor()).isBetween(1.2, 1.3);
    }

    @Test
    void neitherLuckNorAStalledReaderTakesItFar() {
        measure(10_000, 1e-9);
        assertThat(calibration.factor()).isEqualTo(0.9);
        measure(10_000, 1e9);
        assertThat(calibration.factor()).isEqualTo(1.5);
    }
}
