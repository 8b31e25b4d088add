package dev.blobshuffle.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
    @Test
    void percentilesAreThoseOfTheValuesToWithinABucket() {
        LatencyHistogram histogram = new LatencyHistogram();
        for (int micros = 1; micros <= 100_000; micros++) {
            histogram.record(micros);
        }

        assertThat(histogram.count()).isEqualTo(100_000);
        assertThat(histogram.percentileMillis(0.5)).isCloseTo(50, Percentage.withPercentage(1.6));
        assertThat(histogram.percentileMillis(0.99)).isCloseTo(99, Percentage.withPercentage(1.6));
        assertThat(histogram.cumulative().values()).last().isEqualTo(1.0);
    }

    @Test
    void textKeepsEverything() {
        LatencyHistogram histogram = new LatencyHistogram();
        histogram.record(0);
        histogram.record(12_345);
        histogram.record(Long.MAX_VALUE);
        histogram.record(-1);

        LatencyHistogram read = LatencyHistogram.parse(histogram.format());

        assertThat(read.count()).isEqualTo(4);
        assertThat(read.percentileMillis(0.75)).isCloseTo(12.345, within(0.2));
        assertThat(read.format()).isEqualTo(histogram.format());
        assertThat(LatencyHistogram.parse(new LatencyHistogram().format()).count())
                .isZero();
    }

    @Test
    void histogramsAddUp() {
        LatencyHistogram one = new LatencyHistogram();
        LatencyHistogram other = new LatencyHistogram();
        one.record(1000);
        other.record(9000);
        one.add(other);

        assertThat(one.count()).isEqualTo(2);
        assertThat(one.percentileMillis(1)).isCloseTo(9, within(0.2));
    }
}
