package dev.blobshuffle.simulator.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The adaptive mode against fixed settings, for a short time; longer, and with a grid of them, by
 * {@code blobshuffle bench run adaptive --virtual}: {@code docs/guides/planner.md}.
 */
class AdaptiveBatchingTest {
    private static final Duration TARGET = Duration.ofMillis(1600);

    @Test
    void itMeetsTheTargetForLittleMoreThanTheBestFixedSetting() {
        VirtualTrial trial = new VirtualTrial(3, new SwingingLoad(Duration.ofSeconds(60)), Duration.ofSeconds(60), 7);
        BatchedTable table = new BatchedTable(
                1.6,
                trial.run(Batched.adaptive(TARGET), TARGET),
                List.of(
                        trial.run(Batched.fixed(16, Duration.ofMillis(450)), TARGET),
                        trial.run(Batched.fixed(16, Duration.ofMillis(550)), TARGET)));
        assertThat(table.adaptive().intervals()).hasSize(6);
        assertThat(table.adaptive().meets(1.6))
                .describedAs("%n%s", table.markdown())
                .isTrue();
        assertThat(table.priceRatio())
                .describedAs("%n%s", table.markdown())
                .hasValueSatisfying(ratio -> assertThat(ratio).isLessThanOrEqualTo(1.25));
    }
}
