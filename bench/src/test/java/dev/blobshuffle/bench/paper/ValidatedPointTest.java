package dev.blobshuffle.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.RunResults;
import dev.blobshuffle.bench.run.Variant;
import dev.blobshuffle.bench.workload.RecordProbe;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ValidatedPointTest {
    private static final RunResult REAL = RunResults.of(RunResults.ONLY, Variant.BLOBS_S3, 0, 1, 1, 0);

    private static Histogram histogram(long value, long count) {
        Histogram histogram = RecordProbe.histogram();
        histogram.recordValueWithCount(value, count);
        return histogram;
    }

    /** The real run has 64 puts and 128 gets for a million records. */
    private static ValidatedPoint point(int puts, double slower) {
        Histogram latency = RecordProbe.histogram();
        for (int i = 1; i <= 1000; i++) {
            latency.recordValue(Math.round(i * 1000 * slower));
        }
        ClusterResult virtual = new ClusterResult(
                Validation.points().get(0),
                1,
                1 << 20,
                latency,
                latency,
                histogram(500_000, puts),
                histogram(50_000, 128),
                1 << 30,
                1 << 30,
                1,
                1);
        return ValidatedPoint.of(virtual, REAL);
    }

    @Test
    void pointsAgreeWithinFivePercentOfRequestsAndFifteenOfLatency() {
        assertThat(point(64, 1).isClose()).isTrue();
        assertThat(point(67, 1.14).isClose()).isTrue();
        assertThat(point(68, 1).isClose()).isFalse();
        assertThat(point(64, 1.2).isClose()).isFalse();
        assertThat(point(64, 0.8).isClose()).isFalse();
    }

    @Test
    void tableNamesWhatIsTooFar() {
        assertThat(ValidatedPoint.table(List.of(point(80, 1))).lines().toList())
                .anySatisfy(line -> assertThat(line).contains("puts_per_1000_records", "+25.0 %", "**too far**"))
                .anySatisfy(line ->
                        assertThat(line).contains("latency_p50_seconds", "0.5").doesNotContain("too far"));
    }

    @Test
    void threeInstancesHaveTheLoadOfThreeOfTwentyFour() {
        Deployment point = Validation.points().get(0);
        assertThat(point.instances()).isEqualTo(3);
        assertThat(point.scaledRecordsPerSecond() * 3).isCloseTo(2800, within(1.0));
        assertThat(point.scaledBatchBytes()).isEqualTo(256 << 10);
        assertThat(point.fillSeconds())
                .isCloseTo(new Deployment(Layout.PAPER, 16, 216, 24, PaperLoad.USUAL).fillSeconds(), within(1e-9));
    }
}
