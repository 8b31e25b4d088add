package dev.blobshuffle.core.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class ShuffleMetricsTest {
    private final ShuffleMetrics metrics = new ShuffleMetrics();

    @Test
    void everyMetricHasItsOwnNameAndASentence() {
        assertThat(ShuffleMetrics.all())
                .extracting(Metric::name)
                .doesNotHaveDuplicates()
                .contains("records-appended", "put-latency-p99");
        assertThat(ShuffleMetrics.all())
                .allSatisfy(metric -> assertThat(metric.doc()).endsWith("."));
    }

    @Test
    void aVisitSeesCountersGaugesAndLatencies() {
        metrics.add(Counter.RECORDS_APPENDED, 7);
        metrics.add(Counter.APPEND_BLOCKED_TIME, 2_500_000);
        metrics.record(Latency.PUT_LATENCY, 3_000_000);
        metrics.report(Gauge.LAG_RECORDS, () -> 5);
        Map<String, Double> seen = new HashMap<>();
        metrics.forEach((metric, value) -> seen.put(metric.name(), value));
        assertThat(seen).hasSize(ShuffleMetrics.all().size());
        assertThat(seen)
                .containsEntry("records-appended", 7.0)
                .containsEntry("append-blocked-time", 2.5)
                .containsEntry("lag-records", 5.0)
                .containsEntry("put-latency-max", 3.0);
    }

    @Test
    void aGaugeIsTheSumOfItsPartsUntilTheyEnd() {
        LongSupplier shared = () -> 10;
        ShuffleMetrics.Registration first = metrics.report(Gauge.WRITE_BUFFER_USED, shared);
        ShuffleMetrics.Registration second = metrics.report(Gauge.WRITE_BUFFER_USED, shared);
        assertThat(metrics.value(Gauge.WRITE_BUFFER_USED)).isEqualTo(20);
        first.close();
        first.close();
        assertThat(metrics.value(Gauge.WRITE_BUFFER_USED)).isEqualTo(10);
        second.close();
        assertThat(metrics.value(Gauge.WRITE_BUFFER_USED)).isZero();
    }

    @Test
    void percentilesAreNeverBelowTheTrueOneAndAtMostThreePercentAbove() {
        Random random = new Random(7);
        Distribution distribution = new Distribution();
        long[] durations = new long[20_000];
        for (int i = 0; i < durations.length; i++) {
            durations[i] = (long) Math.exp(random.nextDouble() * 28);
            distribution.record(durations[i]);
        }
        Arrays.sort(durations);
        for (double share : new double[] {0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1}) {
            long exact = durations[(int) Math.ceil(share * durations.length) - 1];
            assertThat(distribution.percentile(share)).isBetween(exact, (long) (exact * 1.032) + 1);
        }
        assertThat(distribution.max()).isEqualTo(durations[durations.length - 1]);
        assertThat(distribution.count()).isEqualTo(durations.length);
    }

    @Test
    void extremeDurationsCountAsTheNearestBucket() {
        Distribution distribution = new Distribution();
        distribution.record(-5);
        distribution.record(Long.MAX_VALUE);
        assertThat(distribution.percentile(0.5)).isZero();
        assertThat(distribution.percentile(1) / 1e9).isCloseTo(4398, within(1.0));
    }

    @Test
    void anEmptyDistributionHasNoDurations() {
        assertThat(new Distribution().percentile(0.99)).isZero();
        assertThatThrownBy(() -> new Distribution().percentile(1.5)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aListenerHearsEveryDurationUntilItEnds() {
        List<Long> heard = new ArrayList<>();
        ShuffleMetrics.Registration first = metrics.listen(Latency.GET_LATENCY, heard::add);
        ShuffleMetrics.Registration second = metrics.listen(Latency.GET_LATENCY, heard::add);
        metrics.record(Latency.GET_LATENCY, 5);
        metrics.record(Latency.PUT_LATENCY, 6);
        first.close();
        first.close();
        metrics.record(Latency.GET_LATENCY, 7);
        second.close();
        metrics.record(Latency.GET_LATENCY, 8);
        assertThat(heard).containsExactly(5L, 5L, 7L);
    }

    @Test
    void failuresInARowLastUntilTheStoreAnswers() {
        AtomicLong clock = new AtomicLong();
        ShuffleMetrics timed = new ShuffleMetrics(clock::get);
        assertThat(timed.lastFailure()).isEmpty();
        timed.failed(new IllegalStateException("first"));
        clock.addAndGet(Duration.ofSeconds(4).toNanos());
        timed.failed(new IllegalStateException("second"));
        clock.addAndGet(Duration.ofSeconds(3).toNanos());
        assertThat(timed.lastFailure()).hasValueSatisfying(failure -> {
            assertThat(failure.message()).contains("second");
            assertThat(failure.age()).isEqualTo(Duration.ofSeconds(3));
            assertThat(failure.lasting()).contains(Duration.ofSeconds(7));
        });

        timed.answered();
        assertThat(timed.lastFailure()).hasValueSatisfying(failure -> {
            assertThat(failure.message()).contains("second");
            assertThat(failure.lasting()).isEmpty();
        });
        timed.failed(new IllegalStateException("third"));
        assertThat(timed.lastFailure().orElseThrow().lasting()).contains(Duration.ZERO);
    }
}
