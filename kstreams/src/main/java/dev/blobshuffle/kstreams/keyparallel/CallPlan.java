package dev.blobshuffle.kstreams.keyparallel;

import java.time.Duration;
import java.util.Optional;

/**
 * How calls are made. Immutable.
 *
 * @param ordering which may overlap
 * @param batching whether a call takes several records
 * @param maxBatch the most records of a call
 * @param concurrency the calls at a time
 * @param maxPending records that are accepted and not finished, above which no more should come
 * @param maxPendingBytes the same in bytes
 * @param timeout of an attempt
 * @param retries of what failed
 * @param drainTarget the time within which what waits should be done: it limits what may wait; absent: any number may, for nobody waits for it
 */
record CallPlan(
        Ordering ordering,
        Batching batching,
        int maxBatch,
        Concurrency concurrency,
        int maxPending,
        long maxPendingBytes,
        Duration timeout,
        RetryPolicy retries,
        Optional<Duration> drainTarget) {
    /** With a fixed number of calls at a time, and commits that wait for them. */
    CallPlan(
            Ordering ordering,
            Batching batching,
            int maxBatch,
            int calls,
            int maxPending,
            long maxPendingBytes,
            Duration timeout,
            RetryPolicy retries,
            Duration drainTarget) {
        this(
                ordering,
                batching,
                maxBatch,
                Concurrency.fixed(calls),
                maxPending,
                maxPendingBytes,
                timeout,
                retries,
                Optional.of(drainTarget));
    }

    /** Which records one call may take. */
    enum Batching {
        /** One at a time. */
        NONE,
        /** Those of one key that have come together. */
        SAME_KEY,
        /** Any that may start. */
        ANY_KEY
    }

    int maxConcurrency() {
        return concurrency.most();
    }

    boolean isSerial() {
        return ordering == Ordering.KEY;
    }
}
