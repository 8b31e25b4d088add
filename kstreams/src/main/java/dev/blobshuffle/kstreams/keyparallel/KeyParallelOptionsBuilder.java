package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.kstreams.keyparallel.calls.Concurrency;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.kstreams.keyparallel.calls.RetryPolicy;
import dev.blobshuffle.kstreams.keyparallel.calls.ServiceOverloadedException;
import java.time.Duration;
import java.util.Optional;

/** Builds {@link KeyParallelOptions}. */
public final class KeyParallelOptionsBuilder {
    final String name;
    Ordering ordering = Ordering.KEY;
    NullKeys nullKeys = NullKeys.PARALLEL;
    Optional<Concurrency> concurrency = Optional.empty();
    int maxPending = 5_000;
    ByteSize maxPendingBytes = new ByteSize(64 << 20);
    Optional<ByteSize> maxProcessBytes = Optional.empty();
    Optional<Duration> timeout = Optional.empty();
    RetryPolicy retries = RetryPolicy.none();
    FailureAction onFailure = FailureAction.HANDLER;
    Optional<Duration> drainTimeout = Optional.empty();
    CommitMode commitMode = CommitMode.drain();

    KeyParallelOptionsBuilder(String name) {
        this.name = name;
    }

    /** Starts from other options. */
    KeyParallelOptionsBuilder(KeyParallelOptions options) {
        name = options.name();
        ordering = options.ordering();
        nullKeys = options.nullKeys();
        concurrency = options.concurrency();
        maxPending = options.maxPending();
        maxPendingBytes = options.maxPendingBytes();
        maxProcessBytes = options.maxProcessBytes();
        timeout = options.timeout();
        retries = options.retries();
        onFailure = options.onFailure();
        drainTimeout = options.drainTimeout();
        commitMode = options.commitMode();
    }

    /**
     * Which calls may overlap, and in which order results leave; by default {@link Ordering#KEY}.
     */
    public KeyParallelOptionsBuilder ordering(Ordering value) {
        ordering = value;
        return this;
    }

    /** Whether records without a key share an order; by default not. */
    public KeyParallelOptionsBuilder nullKeys(NullKeys value) {
        nullKeys = value;
        return this;
    }

    /**
     * The most concurrent calls of a task; by default 256 with virtual threads (JDK 21), or else
     * four per processor.
     */
    public KeyParallelOptionsBuilder maxConcurrency(int calls) {
        return concurrency(Concurrency.fixed(calls));
    }

    /**
     * Adapts the number of concurrent calls of a task to the service: it rises while that raises
     * the throughput. It falls if fewer calls get as much done, if calls time out, and if they
     * throw {@link ServiceOverloadedException}.
     *
     * @param least the initial number
     * @param most the maximum; without virtual threads (JDK 21), also the number of threads
     */
    public KeyParallelOptionsBuilder adaptiveConcurrency(int least, int most) {
        return concurrency(new Concurrency(least, most));
    }

    KeyParallelOptionsBuilder concurrency(Concurrency value) {
        concurrency = Optional.of(value);
        return this;
    }

    /** The most records that a task takes before their results are handed on; by default 5000. */
    public KeyParallelOptionsBuilder maxPending(int records) {
        maxPending = records;
        return this;
    }

    /** The same limit in bytes of key and value; by default 64 MiB. */
    public KeyParallelOptionsBuilder maxPendingBytes(ByteSize bytes) {
        maxPendingBytes = bytes;
        return this;
    }

    /**
     * The limit for all nodes of all tasks of this process together; each has an equal share. By
     * default a quarter of the largest heap.
     */
    public KeyParallelOptionsBuilder maxProcessBytes(ByteSize bytes) {
        maxProcessBytes = Optional.of(bytes);
        return this;
    }

    /**
     * The longest time of one attempt; then it is interrupted and fails. By default as long as
     * commits can wait, and at most 30 seconds.
     */
    public KeyParallelOptionsBuilder timeout(Duration value) {
        timeout = Optional.of(value);
        return this;
    }

    /** The retries of failed calls; by default none. */
    public KeyParallelOptionsBuilder retries(RetryPolicy value) {
        retries = value;
        return this;
    }

    /**
     * The handling of a record whose call has finally failed; by default, Kafka Streams' handler
     * decides.
     */
    public KeyParallelOptionsBuilder onFailure(FailureAction value) {
        onFailure = value;
        return this;
    }

    /**
     * The longest time that a commit waits for calls; then the tasks roll back to the last commit.
     * By default half of what the settings allow, and at most a minute.
     */
    public KeyParallelOptionsBuilder drainTimeout(Duration value) {
        drainTimeout = Optional.of(value);
        return this;
    }

    /** Whether commits wait for calls, or store their records; by default they wait. */
    public KeyParallelOptionsBuilder commitMode(CommitMode value) {
        commitMode = value;
        return this;
    }

    /**
     * Builds the options.
     *
     * @throws IllegalArgumentException fatal: a value cannot work
     */
    public KeyParallelOptions build() {
        return new KeyParallelOptions(this);
    }
}
