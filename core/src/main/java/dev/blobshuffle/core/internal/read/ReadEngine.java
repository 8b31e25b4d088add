package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.Latency;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.store.SingleFlightBlobStore;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all Debatchers of an instance share: the store, the read budget, the keys and the
 * metrics. Thread-safe. Close it after the last of its Debatchers.
 */
public final class ReadEngine implements AutoCloseable {
    private final BlobStore store;
    private final SharedReads shared;
    private final ReadBudget budget;
    private final Keyring keys;
    private final AwaitedKeys awaitedKeys;
    private final Time time;
    private final ShuffleMetrics metrics;
    private final List<ShuffleMetrics.Registration> gauges;
    private final LongAdder lag = new LongAdder();
    private final int fingerprint;

    /**
     * A read side.
     *
     * @param store the store with its decorators, which retry while it is unavailable until the
     *     read is abandoned ({@code Abandonable}). The caller closes it
     * @param budgetBytes the most bytes that its Debatchers hold, besides a small reserve for the
     *     heads of queues
     */
    public ReadEngine(BlobStore store, long budgetBytes, Time time, ShuffleMetrics metrics) {
        this(store, budgetBytes, Keyring.none(), time, metrics);
    }

    /**
     * A read side that decrypts.
     *
     * @param keys the keys that decrypt; the other parameters are those above
     */
    public ReadEngine(BlobStore store, long budgetBytes, Keyring keys, Time time, ShuffleMetrics metrics) {
        this.store = store;
        this.budget = new ReadBudget(budgetBytes);
        this.shared = new SharedReads(new SingleFlightBlobStore(store), budget, time);
        this.keys = keys;
        this.awaitedKeys = new AwaitedKeys(keys, time);
        this.time = time;
        this.metrics = metrics;
        this.fingerprint = store.fingerprint();
        this.gauges = List.of(
                metrics.report(Gauge.READ_BUFFER_USED, () -> budget.used() + budget.reserved()),
                metrics.report(Gauge.LAG_RECORDS, lag::sum));
    }

    /**
     * A new Debatcher, owned by its caller's thread.
     *
     * @param name names it in logs
     */
    public <C> Debatcher<C> debatcher(String name) {
        return debatcher(name, () -> {});
    }

    /**
     * A new Debatcher for an owner that must not block ({@code Engine#debatcher}).
     *
     * @param name names it in logs
     * @param onProgress called on any thread after an arrival
     */
    public <C> Debatcher<C> debatcher(String name, Runnable onProgress) {
        return new PrefetchingDebatcher<>(name, this, onProgress);
    }

    /** The reason why this instance cannot read a segment at all, if any. */
    @Nullable
    BlobShuffleException refusal(Partition partition, long offset, Notification notification) {
        if (!notification.belongsTo(partition)) {
            return new BlobCorruptException("Cannot read offset " + offset + " of " + partition
                    + ": its notification was made for another partition or topic. Copy a topic only under its own"
                    + " name with its partitions (MirrorMaker: IdentityReplicationPolicy), or give the offset up with"
                    + " blobshuffle skip.");
        }
        if (notification.store() == fingerprint) {
            return missing(notification);
        }
        return new InvalidSettingsException(String.format(
                "Cannot read offset %d of %s: it was written to a store with fingerprint %08x, and this instance reads %s with fingerprint %08x. "
                        + "Give writers and readers the same blobshuffle.store.",
                offset, partition, notification.store(), store.location(), fingerprint));
    }

    /** The failure if this instance lacks the codec of a segment, or has no source for its key. */
    private @Nullable InvalidSettingsException missing(Notification notification) {
        try {
            notification.codec().requireLibrary();
            if (!keys.hasSource()) {
                notification.key().ifPresent(keys::require);
            }
            return null;
        } catch (InvalidSettingsException e) {
            return e;
        }
    }

    /** Whether a key is available. Keys that their source has withdrawn are not. */
    boolean isHere(String key) {
        keys.refresh(time);
        return keys.isHere(key);
    }

    /**
     * Requests a missing key.
     *
     * @param whenEnded called once, on any thread, when the key is available or its request has
     *     failed; only enqueues
     * @return why the key is not available; null while the request is running
     */
    @Nullable
    BlobShuffleException awaitKey(String key, Runnable whenEnded) {
        return awaitedKeys.await(key, whenEnded);
    }

    /** Counts a read whose bytes did not match their checksum. */
    void corruptRead() {
        metrics.add(Counter.FETCHES_CORRUPT, 1);
    }

    /** Counts records of segments that were queued or, if negative, dropped. */
    void queued(long records) {
        lag.add(records);
    }

    /** Counts records of segments that were returned. */
    void delivered(long records, long bytes) {
        lag.add(-records);
        metrics.add(Counter.RECORDS_DELIVERED, records);
        metrics.add(Counter.BYTES_DELIVERED, bytes);
    }

    /** Records the time from a record's notification to its return, in nanoseconds. */
    void handedOut(long nanos) {
        metrics.record(Latency.HAND_OUT_LATENCY, nanos);
    }

    /** Ends its metrics and its requests for keys. Idempotent. */
    @Override
    public void close() {
        awaitedKeys.close();
        gauges.forEach(ShuffleMetrics.Registration::close);
    }

    BlobStore store() {
        return store;
    }

    /** The store, with downloads that the Debatchers share. */
    SharedReads shared() {
        return shared;
    }

    Keyring keys() {
        return keys;
    }

    ReadBudget budget() {
        return budget;
    }

    Time time() {
        return time;
    }
}
