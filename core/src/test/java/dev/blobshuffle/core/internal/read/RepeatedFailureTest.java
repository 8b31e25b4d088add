package dev.blobshuffle.core.internal.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RepeatedFailureTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final SteppedTime time = new SteppedTime();
    private final RepeatedFailure repeated = new RepeatedFailure(time);

    @AfterEach
    void close() {
        time.close();
    }

    @Test
    void theFirstThrowComesAtOnceAndTheNextAfterASecond() {
        assertThat(repeated.delay(failure("a"), LONG)).isZero();
        repeated.thrown(failure("a"));
        time.advance(Duration.ofMillis(300));
        assertThat(repeated.delay(failure("a"), LONG)).isEqualTo(Duration.ofMillis(700));
        time.advance(Duration.ofMillis(700));
        assertThat(repeated.delay(failure("a"), LONG)).isZero();
    }

    /** Else an application that seeks past each bad record would take a second for each. */
    @Test
    void anotherFailureIsThrownAtOnce() {
        repeated.thrown(failure("record 1 cannot be read"));
        assertThat(repeated.delay(failure("record 2 cannot be read"), LONG)).isZero();
        assertThat(repeated.delay(new IllegalStateException(), LONG)).isZero();
    }

    @Test
    void aPollIsNotLongerThanItsTimeout() {
        repeated.thrown(failure("a"));
        assertThat(repeated.delay(failure("a"), Duration.ofMillis(5))).isEqualTo(Duration.ofMillis(5));
        assertThat(repeated.delay(failure("a"), Duration.ZERO)).isZero();
    }

    private static RuntimeException failure(String message) {
        return new IllegalStateException(message);
    }
}
