package dev.blobshuffle.bench.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.simulator.trial.Batched;
import dev.blobshuffle.simulator.trial.SwingingLoad;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Whole processes that choose their batches, in real time, for a short time. How well they keep to
 * their target is a measurement: {@code blobshuffle bench run adaptive}, and under virtual time
 * {@code AdaptiveBatchingTest}.
 */
class RealTimeTrialIT {
    private static final Duration TARGET = Duration.ofMillis(1600);

    @Test
    void instancesChooseWithinTheirBoundsAndSayWhatComesOfIt() throws Exception {
        SwingingLoad load = new SwingingLoad(Duration.ofSeconds(20));
        RealTimeTrial trial = new RealTimeTrial(load, Duration.ofSeconds(2), Duration.ofSeconds(10));
        RealTimeTrial.Outcome outcome = trial.run(Batched.adaptive(TARGET), TARGET);
        System.out.printf(
                Locale.ROOT,
                "a target of %d ms: p95 %.0f ms, by the instances %.0f ms%n",
                TARGET.toMillis(),
                1000 * outcome.result().requests().orElseThrow().p95(),
                mean(outcome, "shuffle-latency-p95"));
        assertThat(outcome.records()).isPositive();
        assertThat(outcome.result().intervals()).hasSize(1);
        assertThat(outcome.metrics()).isNotEmpty();
        for (Map<String, Double> metrics : outcome.metrics()) {
            assertThat(metrics.get("chosen-batch-delay")).isBetween(1.0, (double) TARGET.toMillis());
            assertThat(metrics.get("chosen-batch-bytes")).isBetween(1.0, (double) SwingingLoad.scaled(16));
            assertThat(metrics.get("target-latency-unreachable")).isIn(0.0, 1.0);
        }
        // An instance that stood still for the interval has none of its own.
        assertThat(mean(outcome, "hand-out-latency-p50")).isPositive();
        assertThat(mean(outcome, "shuffle-latency-p95")).isPositive();
    }

    private static double mean(RealTimeTrial.Outcome outcome, String metric) {
        return outcome.metrics().stream()
                .mapToDouble(metrics -> metrics.get(metric))
                .average()
                .orElseThrow();
    }
}
