package dev.blobshuffle.flight.internal.copy;

import java.util.concurrent.atomic.AtomicLong;

/** A shuffle that is to be copied. Guarded by its {@link Copier}, but for its counts. */
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

    /** Schedules another look after this one, because the shuffle was committed again. */
    void again() {
        isAgain = true;
    }

    /** Whether it must look once more. */
    boolean takeAgain() {
        boolean taken = isAgain;
        isAgain = false;
        return taken;
    }

    /** How often it has failed in a row. */
    int failures() {
        return failures;
    }

    void failed(long notBefore) {
        failures++;
        notBeforeNanos = notBefore;
    }

    /** Goes on later, without a failure. */
    void postpone(long notBefore) {
        notBeforeNanos = notBefore;
    }

    /** For how long it must wait; 0 or less: no longer. */
    long waitNanos(long nowNanos) {
        return notBeforeNanos - nowNanos;
    }

    @Override
    public String toString() {
        return namespace + "/" + shuffle;
    }
}
