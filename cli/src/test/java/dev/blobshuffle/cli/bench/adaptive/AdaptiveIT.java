package dev.blobshuffle.cli.bench.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.testkit.plan.Batched;
import dev.blobshuffle.testkit.plan.SwingingLoad;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A target latency in real time, for a short time; longer by {@code blobshuffle bench adaptive}. */
class AdaptiveIT {
    private static final double TARGET = 1600;

    @Test
    void theP95FollowsTheTargetWhileTheLoadSwings() throws Exception {
        SwingingLoad load = new SwingingLoad(Duration.ofSeconds(20));
        RealTimeTrial trial = new RealTimeTrial(load, Duration.ofSeconds(10), Duration.ofSeconds(20));
        Duration target = Duration.ofMillis((long) TARGET);
        RealTimeTrial.Outcome outcome = trial.run(Batched.adaptive(target), target);
        assertThat(outcome.records()).isPositive();
        assertThat(outcome.result().intervals()).hasSize(2);
        // A machine that is busy with other tests may delay some.
        assertThat(outcome.result().requests().orElseThrow().p95())
                .describedAs("%s", outcome)
                .isBetween(0.3 * TARGET / 1e3, 1.5 * TARGET / 1e3);
        assertThat(outcome.metrics()).allSatisfy(metrics -> {
            assertThat(metrics.get("chosen-batch-delay")).isBetween(100.0, TARGET);
            assertThat(metrics.get("chosen-batch-bytes")).isBetween(1000.0, 65536.0);
            assertThat(metrics.get("predicted-latency-p95")).isBetween(100.0, 1.5 * TARGET);
            assertThat(metrics.get("shuffle-latency-p95")).isBetween(100.0, 2 * TARGET);
            assertThat(metrics.get("hand-out-latency-p50")).isBetween(1.0, TARGET);
        });
    }
}
