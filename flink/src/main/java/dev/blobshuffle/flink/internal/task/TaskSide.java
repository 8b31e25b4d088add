package dev.blobshuffle.flink.internal.task;

import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.flink.internal.mark.HeldMarks;

/** A side of a shuffle, as its operator sees it. Owned by the task's thread. */
public interface TaskSide {
    /**
     * Starts it. Called once, after the state is restored.
     *
     * @param name of the shuffle and the subtask, for messages and metrics
     */
    void open(Engine engine, String name);

    /** The marks, to add one to. Call {@link #release} afterwards. */
    HeldMarks marks();

    /** Emits the marks that may leave. */
    void release();

    /** A checkpoint was given up. */
    void aborted(long checkpoint);

    /** Emits what is owed for all records so far. Waits for it. */
    void drain() throws InterruptedException;

    /** Ends abruptly. Idempotent. */
    void close();
}
