package dev.blobshuffle.flightdaemon.internal.copy;

import java.util.concurrent.atomic.AtomicLong;

/** A shuffle to copy. Guarded by its {@link Copier}, except for its counts. */
final class CopyJob {
    final String namespace;
    final String shuffle;

    /** The number of blobs that have not arrived. */
    final AtomicLong blobs = new AtomicLong();

    /** The bytes of these blobs. */
    final AtomicLong bytes = new AtomicLong();

    private int failures;
    private long notBeforeNanos;
    private boolean isAgain;

    CopyJob(String namespace, String shuffle, long nowNanos) {
        this.namespace = namespace;
        this.shuffle = shuffle;
        notBeforeNanos = nowNanos;
    }

    /** Schedules another run after this one, because the shuffle was committed again. */
    void again() {
        isAgain = true;
    }

    /** Whether another run is scheduled; clears the schedule. */
    boolean takeAgain() {
        boolean taken = isAgain;
        isAgain = false;
        return taken;
    }

    /** The number of consecutive failures. */
    int failures() {
        return failures;
    }

    void failed(long notBefore) {
        failures++;
        notBeforeNanos = notBefore;
    }

    /** Postpones the next run without counting a failure. */
    void postpone(long notBefore) {
        notBeforeNanos = notBefore;
    }

    /** The remaining time to wait; 0 or less if the job is due. */
    long waitNanos(long nowNanos) {
        return notBeforeNanos - nowNanos;
    }

    @Override
    public String toString() {
        return namespace + "/" + shuffle;
    }
}
