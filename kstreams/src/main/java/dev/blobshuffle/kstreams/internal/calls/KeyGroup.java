package dev.blobshuffle.kstreams.internal.calls;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The records that leave in order among each other: those of a key, or of the whole partition.
 * Guarded by the lock of its {@link ParallelCalls}.
 */
public final class KeyGroup<I, O> {
    /** Absent: the one group of a partition, which stays. */
    final @Nullable KeyHandle key;

    /** The unreleased records, in order of acceptance. */
    final Deque<PendingRecord<I, O>> records = new ArrayDeque<>();

    /**
     * Number of records that are unprepared, ready, running or parked. If the next call must wait
     * until results are handed on, also of those that are not handed on yet.
     */
    int open;

    /** Number of records whose call has not started, or waits for a retry. */
    int waiting;

    KeyGroup(@Nullable KeyHandle key) {
        this.key = key;
    }
}
