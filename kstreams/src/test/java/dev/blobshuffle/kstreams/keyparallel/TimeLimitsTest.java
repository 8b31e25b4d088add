package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kstreams.internal.application.ApplicationSettings.CommitLimit;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread's limits of waiting fit into the time within which it must poll. */
class TimeLimitsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 9, 150, 3600})
    void waitsOfAllNodesFitIntoACommit(int seconds) {
        CommitLimit limit = limit(Duration.ofSeconds(seconds));
        for (KeyParallelOptions options : new KeyParallelOptions[] {
            KeyParallelOptions.named("f"),
            KeyParallelOptions.builder("f")
                    .drainTimeout(limit.longest().multipliedBy(9).dividedBy(10))
                    .build(),
            KeyParallelOptions.builder("f").drainTimeout(SECOND.dividedBy(100)).build(),
            KeyParallelOptions.builder("f")
                    .commitMode(CommitMode.checkpoint(Serdes.String(), Serdes.String()))
                    .build()
        }) {
            TimeLimits limits = TimeLimits.of(options, limit);
            assertThat(limits.turn()).isLessThan(limit.longest());
            assertThat(limits.stall().plus(limits.drain())).isLessThanOrEqualTo(limits.turn());
            assertThat(limits.drain()).isLessThanOrEqualTo(limits.longestDrain());
            assertThat(limits.longestDrain()).isLessThanOrEqualTo(limits.turn());
            assertThat(limits.stall()).isPositive();
        }
    }

    @Test
    void waitForCallsThatLeavesNoneForRoomIsRefused() {
        KeyParallelOptions options = KeyParallelOptions.builder("f")
                .drainTimeout(SECOND.multipliedBy(10))
                .build();
        assertThatThrownBy(() -> TimeLimits.of(options, limit(SECOND.multipliedBy(10))))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("10000 ms for them")
                .hasMessageContaining("500 ms for room")
                .hasMessageContaining("Lower drainTimeout");
    }

    private static CommitLimit limit(Duration longest) {
        return new CommitLimit(longest, "half of max.poll.interval.ms", false);
    }
}
