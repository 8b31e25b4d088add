package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.kstreams.keyparallel.calls.Concurrency;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.kstreams.keyparallel.calls.RetryPolicy;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of a slow function's calls. Immutable; made by {@link #named} or {@link #builder}.
 */
public final class KeyParallelOptions {
    private final String name;
    private final Ordering ordering;
    private final NullKeys nullKeys;
    private final Optional<Concurrency> concurrency;
    private final int maxPending;
    private final ByteSize maxPendingBytes;
    private final Optional<ByteSize> maxProcessBytes;
    private final Optional<Duration> timeout;
    private final RetryPolicy retries;
    private final FailureAction onFailure;
    private final Optional<Duration> drainTimeout;
    private final CommitMode commitMode;

    /** Checks the values. */
    KeyParallelOptions(KeyParallelOptionsBuilder builder) {
        name = builder.name;
        ordering = builder.ordering;
        nullKeys = builder.nullKeys;
        concurrency = builder.concurrency;
        maxPending = builder.maxPending;
        maxPendingBytes = builder.maxPendingBytes;
        maxProcessBytes = builder.maxProcessBytes;
        timeout = builder.timeout;
        retries = builder.retries;
        onFailure = builder.onFailure;
        drainTimeout = builder.drainTimeout;
        commitMode = builder.commitMode;
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

    /**
     * Unique in the topology; the prefix of the names of the node's commit gate, metrics and
     * threads.
     */
    public String name() {
        return name;
    }

    /** Which calls may overlap, and in which order results leave. */
    public Ordering ordering() {
        return ordering;
    }

    /** Whether records without a key share an order. */
    public NullKeys nullKeys() {
        return nullKeys;
    }

    /**
     * The concurrent calls of a task; empty: 256 with virtual threads (JDK 21), or else four per
     * processor.
     */
    public Optional<Concurrency> concurrency() {
        return concurrency;
    }

    /**
     * The most records that a task takes before their results are handed on; fewer while the
     * service is slow.
     */
    public int maxPending() {
        return maxPending;
    }

    /** The same limit in bytes of key and value. */
    public ByteSize maxPendingBytes() {
        return maxPendingBytes;
    }

    /**
     * The limit for all nodes of all tasks of this process together, in equal shares; empty: a
     * quarter of the largest heap.
     */
    public Optional<ByteSize> maxProcessBytes() {
        return maxProcessBytes;
    }

    /**
     * The time limit of one attempt; empty: four fifths of the time that a commit may wait, divided
     * among the attempts, and at most 30 seconds; 30 seconds if commits do not wait.
     */
    public Optional<Duration> timeout() {
        return timeout;
    }

    /** The retries of failed calls. */
    public RetryPolicy retries() {
        return retries;
    }

    /** The action for a record whose call has finally failed. */
    public FailureAction onFailure() {
        return onFailure;
    }

    /**
     * The longest time that a commit waits; empty: half of what the settings allow, and at most a
     * minute.
     */
    public Optional<Duration> drainTimeout() {
        return drainTimeout;
    }

    /** Whether commits wait for calls, or store their records. */
    public CommitMode commitMode() {
        return commitMode;
    }
}
