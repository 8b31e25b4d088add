package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.settings.ByteSize;
import java.time.Duration;
import java.util.Optional;

/** Collects {@link KeyParallelOptions}. */
public final class KeyParallelOptionsBuilder {
    private final String name;
    private Ordering ordering = Ordering.KEY;
    private NullKeys nullKeys = NullKeys.PARALLEL;
    private Optional<Integer> maxConcurrency = Optional.empty();
    private int maxPending = 5_000;
    private ByteSize maxPendingBytes = new ByteSize(64 << 20);
    private Optional<Duration> timeout = Optional.empty();
    private RetryPolicy retries = RetryPolicy.none();
    private FailureAction onFailure = FailureAction.HANDLER;
    private Optional<Duration> drainTimeout = Optional.empty();
    private CommitMode commitMode = CommitMode.drain();

    KeyParallelOptionsBuilder(String name) {
        this.name = name;
    }

    /** Begins with other options. */
    KeyParallelOptionsBuilder(KeyParallelOptions options) {
        name = options.name();
        ordering = options.ordering();
        nullKeys = options.nullKeys();
        maxConcurrency = options.maxConcurrency();
        maxPending = options.maxPending();
        maxPendingBytes = options.maxPendingBytes();
        timeout = options.timeout();
        retries = options.retries();
        onFailure = options.onFailure();
        drainTimeout = options.drainTimeout();
        commitMode = options.commitMode();
    }

    /** Which calls may overlap, and in which order results leave; by default {@link Ordering#KEY}. */
    public KeyParallelOptionsBuilder ordering(Ordering value) {
        ordering = value;
        return this;
    }

    /** What records without a key have in common; by default nothing. */
    public KeyParallelOptionsBuilder nullKeys(NullKeys value) {
        nullKeys = value;
        return this;
    }

    /** The most calls at a time in a task; by default 256 with virtual threads (JDK 21), else four for each processor. */
    public KeyParallelOptionsBuilder maxConcurrency(int calls) {
        maxConcurrency = Optional.of(calls);
        return this;
    }

    /** Records that a task takes before their results are handed on; by default 5000. */
    public KeyParallelOptionsBuilder maxPending(int records) {
        maxPending = records;
        return this;
    }

    /** The same in bytes of key and value; by default 64 MiB. */
    public KeyParallelOptionsBuilder maxPendingBytes(ByteSize bytes) {
        maxPendingBytes = bytes;
        return this;
    }

    /** The longest that one attempt may take: then it is interrupted, and has failed. By default as long as commits can wait, and at most 30 seconds. */
    public KeyParallelOptionsBuilder timeout(Duration value) {
        timeout = Optional.of(value);
        return this;
    }

    /** How often failed calls are repeated; by default not at all. */
    public KeyParallelOptionsBuilder retries(RetryPolicy value) {
        retries = value;
        return this;
    }

    /** What becomes of a record whose call failed for good; by default Kafka Streams' handler decides. */
    public KeyParallelOptionsBuilder onFailure(FailureAction value) {
        onFailure = value;
        return this;
    }

    /** The longest that a commit waits for calls; then the tasks go back to the last commit. By default half of what the settings leave it, and at most a minute. */
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
     * The options.
     *
     * @throws IllegalArgumentException fatal: a value cannot work
     */
    public KeyParallelOptions build() {
        return new KeyParallelOptions(
                name,
                ordering,
                nullKeys,
                maxConcurrency,
                maxPending,
                maxPendingBytes,
                timeout,
                retries,
                onFailure,
                drainTimeout,
                commitMode);
    }
}
