package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.internal.commit.CommitGate;

/**
 * How long a stream thread may still wait for calls before it has to poll. The nodes of all its
 * tasks share it: each waits in its turn, and the thread is put out of its group when the sum is
 * too long.
 *
 * <pre>
 *   Kafka Streams polls again when half of max.poll.interval.ms is over, but looks at the clock only after each task has had its turn and was committed:
 *
 *   poll ├── turns of all tasks, commits ──┤ half     last turns: waits for room, last commits: waits for calls    ├ too late
 *                                                     no longer than TimeLimits.turn() in sum
 * </pre>
 *
 * <p>One for each thread. A node finds that of its thread when it is made, and uses it on that
 * thread only.
 */
final class PollDeadline {
    private static final ThreadLocal<PollDeadline> OF_THREAD = ThreadLocal.withInitial(PollDeadline::new);

    private long stalledNanos;
    private boolean isTurnOver;
    private boolean isInTimer;
    private boolean hasCommit;
    private long commitDeadline;

    /** That of the calling thread. */
    static PollDeadline ofThread() {
        return OF_THREAD.get();
    }

    /**
     * A record is processed. The first one after timers and commits begins another turn, unless it
     * comes from there.
     */
    void enter() {
        if (isTurnOver && !isInTimer && !CommitGate.isCommitting()) {
            isTurnOver = false;
            hasCommit = false;
            stalledNanos = 0;
        }
    }

    /** Timers have their turn after all tasks. */
    void enterTimer() {
        isTurnOver = true;
        isInTimer = true;
    }

    void leaveTimer() {
        isInTimer = false;
    }

    /** A node's task is about to be committed, perhaps with others. */
    void enterCommit(long nowNanos, TimeLimits limits) {
        if (!hasCommit) {
            isTurnOver = true;
            hasCommit = true;
            commitDeadline = nowNanos + limits.turn().toNanos() - stalledNanos;
        }
    }

    /** Until when a node may wait for room. */
    long stallDeadline(long nowNanos, TimeLimits limits) {
        long deadline = nowNanos + Math.max(0, limits.stall().toNanos() - stalledNanos);
        return hasCommit ? Math.min(deadline, commitDeadline) : deadline;
    }

    /** A node has waited for room. */
    void stalled(long nanos) {
        stalledNanos += nanos;
    }

    /** Until when a node may wait for its calls before a commit. */
    long drainDeadline(long nowNanos, TimeLimits limits) {
        return Math.min(nowNanos + limits.longestDrain().toNanos(), commitDeadline);
    }
}
