package dev.blobshuffle.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Medians and intervals. */
class SpreadTest {
    @Test
    void intervalNeedsFiveNumbers() {
        assertThat(Spread.of(List.of(1.0, 2.0, 3.0, 4.0)).interval()).isEmpty();
        assertThat(Spread.of(List.of(1.0, 2.0, 3.0, 4.0, 5.0)).interval())
                .hasValueSatisfying(interval -> assertThat(interval.low()).isBetween(1.0, 3.0))
                .hasValueSatisfying(interval -> assertThat(interval.high()).isBetween(3.0, 5.0));
    }

    @Test
    void medianOfAnEvenNumberIsInTheMiddle() {
        assertThat(Spread.of(List.of(4.0, 1.0)).median()).isEqualTo(2.5);
        assertThat(Spread.of(List.of()).median()).isNaN();
        assertThat(Spread.of(List.of(Double.NaN, 3.0)).median()).isEqualTo(3);
    }

    @Test
    void ratioIsClearOnlyOnOneSideOfOne() {
        assertThat(Spread.of(List.of(0.8, 0.9)).isClear()).isTrue();
        assertThat(Spread.of(List.of(0.8, 1.1)).isClear()).isFalse();
    }
}
