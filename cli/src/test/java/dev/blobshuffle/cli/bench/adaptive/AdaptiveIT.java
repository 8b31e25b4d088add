package dev.blobshuffle.cli.bench.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.testkit.plan.Batched;
import dev.blobshuffle.testkit.plan.SwingingLoad;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A target latency in real time, for a short time; longer by {@code blobshuffle bench adaptive}. */
class AdaptiveIT {
    private static final Duration TARGET = Duration.ofMillis(1600);

    /** Beside other tests the brokers alone may take more than the target: then the instances have to know. */
    @Test
    void theP95FollowsTheTargetOrTheInstancesSayThatItCannot() throws Exception {
        SwingingLoad load = new SwingingLoad(Duration.ofSeconds(20));
        RealTimeTrial trial = new RealTimeTrial(load, Duration.ofSeconds(10), Duration.ofSeconds(20));
        RealTimeTrial.Outcome outcome = trial.run(Batched.adaptive(TARGET), TARGET);
        assertThat(outcome.records()).isPositive();
        assertThat(outcome.result().intervals()).hasSize(2);
        double p95 = 1000 * outcome.result().requests().orElseThrow().p95();
        boolean isTold = outcome.metrics().stream().anyMatch(metrics -> metrics.get("target-latency-unreachable") == 1);
        assertThat(p95 <= 1.25 * TARGET.toMillis() || isTold)
                .describedAs("%s", outcome)
                .isTrue();
        assertThat(mean(outcome, "shuffle-latency-p95"))
                .describedAs("%s", outcome)
                .isBetween(0.5 * p95, 2 * p95);
        for (Map<String, Double> metrics : outcome.metrics()) {
            assertThat(metrics.get("chosen-batch-delay")).isBetween(1.0, (double) TARGET.toMillis());
            assertThat(metrics.get("chosen-batch-bytes")).isBetween(1.0, (double) SwingingLoad.scaled(16));
            assertThat(metrics.get("hand-out-latency-p50")).isPositive();
        }
    }

    private static double mean(RealTimeTrial.Outcome outcome, String metric) {
        return outcome.metrics().stream()
                .mapToDouble(metrics -> metrics.get(metric))
                .average()
                .orElseThrow();
    }
}
