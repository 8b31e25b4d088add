package dev.blobshuffle.kstreams.internal.calls;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The records that leave in order among each other: those of a key, or of the partition. Guarded by
 * the lock of its {@link ParallelCalls}.
 */
public final class KeyGroup<I, O> {
    /** Absent: the one group of a partition, which stays. */
    final @Nullable KeyHandle key;

    /** What is not released yet, in the order of acceptance. */
    final Deque<PendingRecord<I, O>> records = new ArrayDeque<>();

    /**
     * Records that are unprepared, ready, running or parked, and, if the next call has to wait
     * until results are handed on, those that are not.
     */
    int open;

    /** Records whose call has not started, or waits to be repeated. */
    int waiting;

    KeyGroup(@Nullable KeyHandle key) {
        this.key = key;
    }
}
