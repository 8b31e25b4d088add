package dev.blobshuffle.testkit.internal.log.simulation;

import dev.blobshuffle.testkit.internal.log.LogCall;
import dev.blobshuffle.testkit.internal.log.LogFaults;
import java.time.Duration;

/** The faults of a schedule, by chance, until it is calm. Guarded by the simulation's baton. */
final class PlannedLogFaults implements LogFaults {
    private final LogWorld world;
    private boolean isSequencingDown;

    PlannedLogFaults(LogWorld world) {
        this.world = world;
    }

    /** Begins or ends a time in which nobody can sequence. */
    void sequencingDown(boolean isDown) {
        isSequencingDown = isDown;
    }

    @Override
    public Fate next(LogCall call) {
        Loss loss = Loss.NOTHING;
        if ((call == LogCall.SEQUENCE && isSequencingDown) || world.strikes(LogFault.CONNECTION_LOST, 12)) {
            loss = Loss.CONNECTION;
        } else if (world.strikes(LogFault.REQUEST_LOST, 12)) {
            loss = Loss.REQUEST;
        } else if (world.strikes(LogFault.ANSWER_LOST, call == LogCall.COMMIT ? 4 : 12)) {
            loss = Loss.ANSWER;
        }
        boolean isLate = world.strikes(LogFault.CALL_SLOW, 40);
        boolean isRequest = world.time().random(2) == 0;
        return new Fate(loss, delay(isLate && isRequest), delay(isLate && !isRequest));
    }

    private Duration delay(boolean isLate) {
        return isLate
                ? Duration.ofMillis(5_000 + world.time().random(15_000))
                : Duration.ofNanos(200_000 + world.time().random(4_000_000));
    }

    @Override
    public Duration stall(LogCall call) {
        if (call == LogCall.COMMIT && world.strikes(LogFault.COMMIT_STALLED, 30)) {
            return Duration.ofMillis(60_000 + world.time().random(540_000));
        }
        if (world.strikes(LogFault.STEP_SLOW, 15)) {
            return Duration.ofMillis(world.time().random(world.time().random(4) == 0 ? 3_000 : 100));
        }
        return Duration.ofNanos(world.time().random(500_000));
    }

    @Override
    public boolean losesHint() {
        return world.strikes(LogFault.HINT_LOST, 3);
    }
}
