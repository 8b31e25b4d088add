package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.internal.commit.CommitGate;

/**
 * Limits how long a stream thread waits for calls before it polls again. The nodes of all its tasks
 * share the limit: each waits in its turn, and the group removes the thread if the sum is too long.
 *
 * <pre>
 *   Kafka Streams polls again when half of max.poll.interval.ms is over, but looks at the clock only after each task has had its turn and was committed:
 *
 *   poll ├── turns of all tasks, commits ──┤ half     last turns: waits for room, last commits: waits for calls    ├ too late
 *                                                     no longer than TimeLimits.turn() in sum
 * </pre>
 *
 * <p>Each thread has one. A node gets its thread's when it is made, and uses it on that thread
 * only.
 */
final class PollDeadline {
    private static final ThreadLocal<PollDeadline> OF_THREAD = ThreadLocal.withInitial(PollDeadline::new);

    private long stalledNanos;
    private boolean isTurnOver;
    private boolean isInTimer;
    private boolean hasCommit;
    private long commitDeadline;

    /** The calling thread's limit. */
    static PollDeadline ofThread() {
        return OF_THREAD.get();
    }

    /**
     * Called for each record. The first record after timers and commits begins a new turn, unless a
     * timer or a commit forwards it.
     */
    void enter() {
        if (isTurnOver && !isInTimer && !CommitGate.isCommitting()) {
            isTurnOver = false;
            hasCommit = false;
            stalledNanos = 0;
        }
    }

    /** Called before a timer; timers run after the turns of all tasks. */
    void enterTimer() {
        isTurnOver = true;
        isInTimer = true;
    }

    void leaveTimer() {
        isInTimer = false;
    }

    /** Called before a commit of the node's task, possibly together with other tasks. */
    void enterCommit(long nowNanos, TimeLimits limits) {
        if (!hasCommit) {
            isTurnOver = true;
            hasCommit = true;
            commitDeadline = nowNanos + limits.turn().toNanos() - stalledNanos;
        }
    }

    /** The end of a node's wait for room. */
    long stallDeadline(long nowNanos, TimeLimits limits) {
        long deadline = nowNanos + Math.max(0, limits.stall().toNanos() - stalledNanos);
        return hasCommit ? Math.min(deadline, commitDeadline) : deadline;
    }

    /** Adds the time that a node has waited for room. */
    void stalled(long nanos) {
        stalledNanos += nanos;
    }

    /** The end of a node's wait for calls before a commit. */
    long drainDeadline(long nowNanos, TimeLimits limits) {
        return Math.min(nowNanos + limits.longestDrain().toNanos(), commitDeadline);
    }
}
