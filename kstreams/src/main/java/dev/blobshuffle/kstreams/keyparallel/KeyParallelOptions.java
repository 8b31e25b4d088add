package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.kstreams.keyparallel.calls.Concurrency;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.kstreams.keyparallel.calls.RetryPolicy;
import java.time.Duration;
import java.util.Optional;

/**
 * How a slow function is called. Immutable; made by {@link #named}.
 *
 * @param name unique in the topology: the node's commit gate, metrics and threads are named after
 *     it
 * @param ordering which calls may overlap, and in which order results leave
 * @param nullKeys what records without a key have in common
 * @param concurrency the calls at a time in a task; absent: 256 with virtual threads (JDK 21), else
 *     four for each processor
 * @param maxPending records that a task takes before their results are handed on; a task takes
 *     fewer while the service is slow
 * @param maxPendingBytes the same in bytes of key and value
 * @param maxProcessBytes what all nodes of all tasks of this process take together, in equal
 *     shares; absent: a quarter of the largest heap
 * @param timeout of one attempt; absent: four fifths of what a commit may wait, divided among the
 *     attempts, and at most 30 seconds; without a wait, 30 seconds
 * @param retries of failed calls
 * @param onFailure what becomes of a record whose call failed for good
 * @param drainTimeout the longest that a commit waits; absent: half of what the settings leave it,
 *     and at most a minute
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

    /** Options with the default of everything else. */
    public static KeyParallelOptions named(String name) {
        return new KeyParallelOptionsBuilder(name).build();
    }

    /** Options with something else than the defaults. */
    public static KeyParallelOptionsBuilder builder(String name) {
        return new KeyParallelOptionsBuilder(name);
    }
}
