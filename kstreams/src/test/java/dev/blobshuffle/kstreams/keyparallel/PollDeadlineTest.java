package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Nodes of several tasks of a thread, which wait one after another. Times in seconds. */
class PollDeadlineTest {
    private static final TimeLimits LIMITS = new TimeLimits(
            Duration.ofSeconds(8),
            Duration.ofSeconds(12),
            Duration.ofSeconds(4),
            Duration.ofSeconds(15),
            Duration.ofSeconds(8));

    private final PollDeadline patience = new PollDeadline();

    @Test
    void nodesShareTheTimeToWaitForRoom() {
        assertThat(waitForRoom(0, 3)).isEqualTo(3);
        assertThat(waitForRoom(3, 3)).isEqualTo(4);
        assertThat(waitForRoom(4, 3)).isEqualTo(4);
        patience.enterTimer();
        patience.leaveTimer();
        assertThat(waitForRoom(4, 9)).isEqualTo(8);
    }

    /** A node's timer forwards to another node. */
    @Test
    void waitForRoomInATimerIsPartOfTheTurnBefore() {
        assertThat(waitForRoom(0, 3)).isEqualTo(3);
        patience.enterTimer();
        assertThat(waitForRoom(3, 3)).isEqualTo(4);
    }

    @Test
    void nodesShareTheTimeOfACommit() {
        assertThat(drain(100, 7)).isEqualTo(107);
        assertThat(drain(107, 20)).isEqualTo(115);
        assertThat(waitForRoom(200, 0)).isEqualTo(200);
        assertThat(drain(200, 20)).isEqualTo(212);
    }

    @Test
    void waitForRoomLeavesTheCommitLess() {
        assertThat(waitForRoom(0, 4)).isEqualTo(4);
        patience.enterTimer();
        patience.leaveTimer();
        assertThat(drain(4, 20)).isEqualTo(15);
    }

    /** @return when a wait ends that needs the given time */
    private long waitForRoom(long now, long wanted) {
        patience.enter();
        long end = Math.min(seconds(patience.stallDeadline(nanos(now), LIMITS)), now + wanted);
        patience.stalled(nanos(end - now));
        return end;
    }

    /** @return when a wait for calls ends that needs the given time */
    private long drain(long now, long wanted) {
        patience.enterCommit(nanos(now), LIMITS);
        return Math.min(seconds(patience.drainDeadline(nanos(now), LIMITS)), now + wanted);
    }

    private static long nanos(long seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }

    private static long seconds(long nanos) {
        return Duration.ofNanos(nanos).toSeconds();
    }
}
