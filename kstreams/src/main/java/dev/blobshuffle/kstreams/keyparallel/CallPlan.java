package dev.blobshuffle.kstreams.keyparallel;

import java.time.Duration;

/**
 * How calls are made. Immutable.
 *
 * @param ordering which may overlap
 * @param batching whether a call takes several records
 * @param maxBatch the most records of a call
 * @param maxConcurrency the most calls at a time
 * @param maxPending records that are accepted and not finished, above which no more should come
 * @param maxPendingBytes the same in bytes
 * @param timeout of an attempt
 * @param retries of what failed
 * @param drainTarget the time within which what waits should be done: it limits what may wait
 */
record CallPlan(
        Ordering ordering,
        Batching batching,
        int maxBatch,
        int maxConcurrency,
        int maxPending,
        long maxPendingBytes,
        Duration timeout,
        RetryPolicy retries,
        Duration drainTarget) {
    /** Which records one call may take. */
    enum Batching {
        /** One at a time. */
        NONE,
        /** Those of one key that have come together. */
        SAME_KEY,
        /** Any that may start. */
        ANY_KEY
    }

    boolean isSerial() {
        return ordering == Ordering.KEY;
    }
}
