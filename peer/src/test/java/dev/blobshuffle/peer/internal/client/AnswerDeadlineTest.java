package dev.blobshuffle.peer.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.peer.internal.settings.Patience;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AnswerDeadlineTest {
    private static final Patience PATIENCE = new Patience(Duration.ofMillis(500), Duration.ofSeconds(30));

    private static long millis(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }

    @Test
    void silenceIsGivenUp() {
        AnswerDeadline deadline = new AnswerDeadline(PATIENCE, 0, millis(100));
        assertThat(deadline.left(millis(100))).isEqualTo(millis(500));
        deadline.alive(millis(400));
        assertThat(deadline.left(millis(600))).isEqualTo(millis(300));
        assertThat(deadline.left(millis(900))).isZero();
        assertThat(deadline.reason(millis(900))).isEqualTo("no sign of life for 500 ms");
    }

    /** It waited for 29 s for a connection. */
    @Test
    void theWholeRequestIsBoundedFromItsBeginningHoweverManySignsOfLifeCome() {
        AnswerDeadline deadline = new AnswerDeadline(PATIENCE, millis(7), millis(29_007));
        for (long now = 29_007; now < 30_007; now += 100) {
            deadline.alive(millis(now));
            assertThat(deadline.left(millis(now))).isPositive();
        }
        deadline.alive(millis(30_007));
        assertThat(deadline.left(millis(30_007))).isZero();
        assertThat(deadline.reason(millis(30_007))).isEqualTo("no whole answer within 30000 ms");
    }
}
