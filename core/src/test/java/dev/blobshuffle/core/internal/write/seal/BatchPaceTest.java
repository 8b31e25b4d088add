package dev.blobshuffle.core.internal.write.seal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.options.BatcherOptions.Sealing;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatchPaceTest {
    private static BatchPace pace(long delay, Sealing sealing) {
        return new BatchPace(
                BatcherOptions.builder()
                        .delay(Duration.ofMillis(delay))
                        .sealing(sealing)
                        .build(),
                null);
    }

    @ParameterizedTest
    @CsvSource({"500, 0, 500", "500, 1, 499", "500, 499, 1", "500, 1_500, 500", "300, 1_000, 200", "500, -1, 1"})
    void alignedBatchesEndAtMultiplesOfTheDelay(long delay, long now, long expected) {
        assertThat(pace(delay, Sealing.ALIGNED).delay(() -> now)).hasMillis(expected);
    }

    @Test
    void otherBatchesEndAfterTheDelayAndReadNoClock() {
        assertThat(pace(500, Sealing.AFTER_DELAY).delay(() -> {
                    throw new AssertionError("read the clock");
                }))
                .hasMillis(500);
    }

    @Test
    void aDelayOfZeroStaysZero() {
        assertThat(pace(0, Sealing.ALIGNED).delay(() -> 7)).isZero();
    }
}
