package dev.blobshuffle.core.internal.read;

import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.resilience.RetryingBlobStore;
import dev.blobshuffle.core.internal.resilience.StoreRetryPolicy;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.List;

/**
 * A Debatcher over a scripted store. Closing it checks that every byte came back. Owned by one
 * thread.
 */
final class DebatcherFixture implements AutoCloseable {
    static final Partition P0 = new Partition("t", 0);
    static final Partition P1 = new Partition("t", 1);
    static final Partition P2 = new Partition("t", 2);
    private static final Duration LONG = Duration.ofMinutes(1);

    final ScriptedBlobStore store = new ScriptedBlobStore(new MemoryBlobStore("debatcher", 1L << 30));
    final SegmentFixture blobs = new SegmentFixture(store);
    final ShuffleMetrics metrics = new ShuffleMetrics();
    final Time time;
    private final RetryingBlobStore retrying;
    private final AutoCloseable ownTime;
    final ReadEngine engine;
    final Debatcher<String> debatcher;
    final RecordedSink sink = new RecordedSink();

    DebatcherFixture(long budget) {
        this(budget, Keyring.none());
    }

    DebatcherFixture(long budget, Keyring keys) {
        this(budget, keys, new SystemTime());
    }

    private DebatcherFixture(long budget, Keyring keys, SystemTime time) {
        this(budget, time, keys, time);
    }

    /** @param time stays open */
    DebatcherFixture(long budget, Time time) {
        this(budget, time, Keyring.none());
    }

    /** @param time stays open */
    DebatcherFixture(long budget, Time time, Keyring keys) {
        this(budget, time, keys, () -> {});
    }

    private DebatcherFixture(long budget, Time time, Keyring keys, AutoCloseable ownTime) {
        this.time = time;
        this.ownTime = ownTime;
        retrying = new RetryingBlobStore(store, StoreRetryPolicy.forever(), time, metrics);
        engine = new ReadEngine(retrying, budget, keys, time, metrics);
        debatcher = new PrefetchingDebatcher<>("test", engine, () -> {});
    }

    /** Drains without a wait, and returns the values of this call. */
    List<String> drain() {
        int before = sink.values.size();
        int records = debatcher.drain(1000, 1 << 20, sink);
        if (records != sink.values.size() - before) {
            throw new AssertionError("drain says " + records + " and handed out " + (sink.values.size() - before));
        }
        return List.copyOf(sink.values.subList(before, sink.values.size()));
    }

    /** Waits and drains until a total number of records has arrived. */
    List<String> drainUntil(int records) {
        debatcher.prefetch();
        stepUntil(records, this::drain);
        return sink.values;
    }

    /** Waits and takes a step until a total number of records has arrived. */
    void stepUntil(int records, Runnable step) {
        await(records + " records")
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(LONG)
                .until(() -> {
                    if (sink.values.size() < records) {
                        debatcher.awaitProgress(Duration.ofSeconds(1));
                        step.run();
                    }
                    return sink.values.size() >= records;
                });
    }

    /**
     * Waits until no byte is in use, because an abandoned attempt returns its bytes when it ends.
     */
    void awaitBytes() {
        await("bytes in use: budget, reserve, on loan")
                .pollInterval(Duration.ofMillis(1))
                .atMost(LONG)
                .until(
                        () -> List.of(engine.budget().used(), engine.budget().reserved(), store.openBytes()),
                        List.of(0L, 0L, 0L)::equals);
    }

    @Override
    public void close() {
        debatcher.close();
        store.release();
        awaitBytes();
        if (metrics.value(dev.blobshuffle.core.internal.metrics.Gauge.LAG_RECORDS) != 0) {
            throw new AssertionError("the lag is not 0 in the end");
        }
        engine.close();
        try {
            ownTime.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
