package dev.blobshuffle.kstreams.internal.calls;

import dev.blobshuffle.kstreams.keyparallel.calls.Concurrency;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.kstreams.keyparallel.calls.RetryPolicy;
import java.time.Duration;
import java.util.Optional;

/**
 * The limits and the order of calls. Immutable.
 *
 * @param ordering which calls may overlap
 * @param batching whether a call takes several records
 * @param maxBatch the most records of a call
 * @param concurrency the concurrent calls
 * @param maxPending accepted and unfinished records above which the owner should offer no more
 * @param maxPendingBytes the same limit in bytes
 * @param timeout of an attempt
 * @param retries of failed calls
 * @param drain the longest time that a commit waits for calls, which limits the records that wait
 *     for their call; absent: no limit, because commits do not wait
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
    /** A plan with a fixed number of concurrent calls, and commits that wait for them. */
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
        /** One record. */
        NONE,
        /** Records of one key that are available together. */
        SAME_KEY,
        /** Any records that may start. */
        ANY_KEY
    }

    public int maxConcurrency() {
        return concurrency.most();
    }

    boolean isSerial() {
        return ordering == Ordering.KEY;
    }
}
