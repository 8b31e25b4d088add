package dev.blobshuffle.kstreams.internal.calls;

import dev.blobshuffle.kstreams.keyparallel.calls.Concurrency;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.kstreams.keyparallel.calls.RetryPolicy;
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
 * @param drain the longest that a commit waits for calls: it limits what may wait for its call;
 *     absent: any number may, for nobody waits for it
 */
public record CallPlan(
        Ordering ordering,
        Batching batching,
        int maxBatch,
        Concurrency concurrency,
        int maxPending,
        long maxPendingBytes,
        Duration timeout,
        RetryPolicy retries,
        Optional<Duration> drain) {
    /** With a fixed number of calls at a time, and commits that wait for them. */
    public CallPlan(
            Ordering ordering,
            Batching batching,
            int maxBatch,
            int calls,
            int maxPending,
            long maxPendingBytes,
            Duration timeout,
            RetryPolicy retries,
            Duration drain) {
        this(
                ordering,
                batching,
                maxBatch,
                Concurrency.fixed(calls),
                maxPending,
                maxPendingBytes,
                timeout,
                retries,
                Optional.of(drain));
    }

    /** Which records one call may take. */
    public enum Batching {
        /** One at a time. */
        NONE,
        /** Those of one key that have come together. */
        SAME_KEY,
        /** Any that may start. */
        ANY_KEY
    }

    public int maxConcurrency() {
        return concurrency.most();
    }

    boolean isSerial() {
        return ordering == Ordering.KEY;
    }
}
