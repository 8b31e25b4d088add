package dev.blobshuffle.kstreams.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kstreams.keyparallel.calls.Concurrency;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

/** The limit with services whose rate is known for each number of calls. */
class AdaptiveLimitTest {
    private static final long TICK = 5_000_000;
    private static final double LATENCY = 0.1;

    private final AdaptiveLimit limit = new AdaptiveLimit(new Concurrency(8, 1_024), 0);
    private long now;
    private double done;

    @Test
    void climbsToTheMostWhereEachCallCounts() {
        run(120, calls -> calls / LATENCY);
        assertThat(limit.calls()).isEqualTo(1_024);
    }

    @Test
    void staysNearTheKneeOfAServiceThatDoesNoMore() {
        run(120, calls -> Math.min(calls, 100) / LATENCY);
        assertThat(limit.calls()).isBetween(70, 150);
        run(600, calls -> Math.min(calls, 100) / LATENCY);
        assertThat(limit.calls()).as("ten minutes later").isBetween(70, 150);
    }

    @Test
    void fallsWhereMoreCallsGetLessDone() {
        run(60, calls -> Math.min(calls, 200) / LATENCY);
        assertThat(limit.calls()).isGreaterThan(150);
        run(240, calls -> Math.min(calls, 50 * 50 / calls) / LATENCY);
        assertThat(limit.calls()).isBetween(30, 80);
    }

    @Test
    void followsAServiceThatCanDoLess() {
        run(120, calls -> Math.min(calls, 400) / LATENCY);
        assertThat(limit.calls()).isGreaterThan(300);
        run(400, calls -> Math.min(calls, 50) / LATENCY);
        assertThat(limit.calls()).isLessThan(150);
    }

    @Test
    void overloadCutsItAtOnceAndOtherFailuresDoNot() {
        run(60, calls -> calls / LATENCY);
        int before = limit.calls();
        limit.ended(false, false, now);
        run(2, calls -> calls / LATENCY);
        assertThat(limit.calls()).isGreaterThanOrEqualTo(before);
        limit.ended(false, true, now);
        run(1.2, calls -> calls / LATENCY);
        assertThat(limit.calls()).isLessThan(before);
    }

    @Test
    void staysWhereItHoldsNothingBack() {
        double seconds = 30;
        for (long end = now + (long) (seconds * 1e9); now < end; now += TICK) {
            limit.running(3, now);
            limit.ended(true, false, now);
        }
        assertThat(limit.calls()).isEqualTo(8);
    }

    /** Keeps the maximum number of calls running; they end at the service's rate. */
    private void run(double seconds, DoubleUnaryOperator rate) {
        for (long end = now + (long) (seconds * 1e9); now < end; now += TICK) {
            limit.running(limit.calls(), now);
            limit.bind();
            done += rate.applyAsDouble(limit.calls()) * TICK / 1e9;
            for (; done >= 1; done--) {
                limit.ended(true, false, now);
            }
        }
    }
}
