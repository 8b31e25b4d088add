package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.kstreams.keyparallel.calls.Concurrency;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.kstreams.keyparallel.calls.RetryPolicy;
import dev.blobshuffle.kstreams.keyparallel.calls.ServiceOverloaded;
import java.time.Duration;
import java.util.Optional;

/** Collects {@link KeyParallelOptions}. */
public final class KeyParallelOptionsBuilder {
    private final String name;
    private Ordering ordering = Ordering.KEY;
    private NullKeys nullKeys = NullKeys.PARALLEL;
    private Optional<Concurrency> concurrency = Optional.empty();
    private int maxPending = 5_000;
    private ByteSize maxPendingBytes = new ByteSize(64 << 20);
    private Optional<ByteSize> maxProcessBytes = Optional.empty();
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

    /** What records without a key have in common; by default nothing. */
    public KeyParallelOptionsBuilder nullKeys(NullKeys value) {
        nullKeys = value;
        return this;
    }

    /**
     * The most calls at a time in a task; by default 256 with virtual threads (JDK 21), else four
     * for each processor.
     */
    public KeyParallelOptionsBuilder maxConcurrency(int calls) {
        return concurrency(Concurrency.fixed(calls));
    }

    /**
     * As many calls at a time in a task as the service can do: more as long as more get done, fewer
     * when fewer do, when calls run into their timeout, and when they throw
     * {@link ServiceOverloaded}.
     *
     * @param least to begin with
     * @param most never more; without virtual threads (JDK 21), as many threads
     */
    public KeyParallelOptionsBuilder adaptiveConcurrency(int least, int most) {
        return concurrency(new Concurrency(least, most));
    }

    KeyParallelOptionsBuilder concurrency(Concurrency value) {
        concurrency = Optional.of(value);
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

    /**
     * What all nodes of all tasks of this process take together; each has an equal share. By
     * default a quarter of the largest heap.
     */
    public KeyParallelOptionsBuilder maxProcessBytes(ByteSize bytes) {
        maxProcessBytes = Optional.of(bytes);
        return this;
    }

    /**
     * The longest that one attempt may take: then it is interrupted, and has failed. By default as
     * long as commits can wait, and at most 30 seconds.
     */
    public KeyParallelOptionsBuilder timeout(Duration value) {
        timeout = Optional.of(value);
        return this;
    }

    /** How often failed calls are repeated; by default not at all. */
    public KeyParallelOptionsBuilder retries(RetryPolicy value) {
        retries = value;
        return this;
    }

    /**
     * What becomes of a record whose call failed for good; by default Kafka Streams' handler
     * decides.
     */
    public KeyParallelOptionsBuilder onFailure(FailureAction value) {
        onFailure = value;
        return this;
    }

    /**
     * The longest that a commit waits for calls; then the tasks go back to the last commit. By
     * default half of what the settings leave it, and at most a minute.
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
     * The options.
     *
     * @throws IllegalArgumentException fatal: a value cannot work
     */
    public KeyParallelOptions build() {
        return new KeyParallelOptions(
                name,
                ordering,
                nullKeys,
                concurrency,
                maxPending,
                maxPendingBytes,
                maxProcessBytes,
                timeout,
                retries,
                onFailure,
                drainTimeout,
                commitMode);
    }
}
