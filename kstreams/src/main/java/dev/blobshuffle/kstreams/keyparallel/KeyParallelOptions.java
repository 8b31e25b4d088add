package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.kstreams.keyparallel.calls.Concurrency;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.kstreams.keyparallel.calls.RetryPolicy;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of a slow function's calls. Immutable; made by {@link #named}.
 *
 * @param name unique in the topology; prefix of the names of the node's commit gate, metrics and
 *     threads
 * @param ordering which calls may overlap, and in which order results leave
 * @param nullKeys whether records without a key share an order
 * @param concurrency the concurrent calls of a task; absent: 256 with virtual threads (JDK 21), or
 *     else four per processor
 * @param maxPending the most records that a task takes before their results are handed on; fewer
 *     while the service is slow
 * @param maxPendingBytes the same limit in bytes of key and value
 * @param maxProcessBytes the limit for all nodes of all tasks of this process together, in equal
 *     shares; absent: a quarter of the largest heap
 * @param timeout of one attempt; absent: four fifths of the time that a commit may wait, divided
 *     among the attempts, and at most 30 seconds; 30 seconds if commits do not wait
 * @param retries of failed calls
 * @param onFailure handles a record whose call has finally failed
 * @param drainTimeout the longest time that a commit waits; absent: half of what the settings
 *     allow, and at most a minute
 * @param commitMode whether commits wait for calls, or store their records
 */
public record KeyParallelOptions(
        String name,
        Ordering ordering,
        NullKeys nullKeys,
        Optional<Concurrency> concurrency,
        int maxPending,
        ByteSize maxPendingBytes,
        Optional<ByteSize> maxProcessBytes,
        Optional<Duration> timeout,
        RetryPolicy retries,
        FailureAction onFailure,
        Optional<Duration> drainTimeout,
        CommitMode commitMode) {
    /** Checks the values. */
    public KeyParallelOptions {
        if (name.isBlank()) {
            throw new IllegalArgumentException("Cannot call a function in parallel: its name is empty. Give one.");
        }
        if (maxPending < 1 || maxPendingBytes.bytes() < 1) {
            throw new IllegalArgumentException("Cannot call " + name + " in parallel: pending " + maxPending
                    + " records, " + maxPendingBytes + ". Give 1 or more of each.");
        }
        if (timeout.filter(time -> time.toMillis() < 1).isPresent()
                || drainTimeout.filter(time -> time.toMillis() < 1).isPresent()) {
            throw new IllegalArgumentException("Cannot call " + name + " in parallel: the timeout is "
                    + timeout.map(Duration::toString).orElse("by default") + ", that of a commit "
                    + drainTimeout.map(Duration::toString).orElse("by default") + ". Give a millisecond or more.");
        }
    }

    /** Options with all other values at their defaults. */
    public static KeyParallelOptions named(String name) {
        return new KeyParallelOptionsBuilder(name).build();
    }

    /** A builder for options with other values. */
    public static KeyParallelOptionsBuilder builder(String name) {
        return new KeyParallelOptionsBuilder(name);
    }
}
