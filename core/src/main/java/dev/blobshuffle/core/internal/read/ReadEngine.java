package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettings;
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
 * What all Debatchers of an instance share: the store to read from, the read budget and the
 * metrics. Thread-safe. Closed after the last of its Debatchers.
 */
public final class ReadEngine implements AutoCloseable {
    private final BlobStore store;
    private final BlobStore sharingStore;
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
     * @param store the store, with its decorators: it goes on asking while it is unavailable, until
     *     a read is given up ({@code Abandonable}); not closed from here
     * @param budgetBytes the most bytes that its Debatchers hold, beside a small reserve for the
     *     heads of queues
     */
    public ReadEngine(BlobStore store, long budgetBytes, Time time, ShuffleMetrics metrics) {
        this(store, budgetBytes, Keyring.none(), time, metrics);
    }

    /**
     * A read side that decrypts.
     *
     * @param keys decrypt what is encrypted; the rest as above
     */
    public ReadEngine(BlobStore store, long budgetBytes, Keyring keys, Time time, ShuffleMetrics metrics) {
        this.store = store;
        this.sharingStore = new SingleFlightBlobStore(store);
        this.budget = new ReadBudget(budgetBytes);
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

    /** Why a segment cannot be read here at all, if so. */
    @Nullable
    BlobShuffleException refusal(Partition partition, long offset, Notification notification) {
        if (!notification.belongsTo(partition)) {
            return new BlobCorrupt("Cannot read offset " + offset + " of " + partition
                    + ": its notification was made for another partition or topic. Copy a topic only under its own"
                    + " name with its partitions (MirrorMaker: IdentityReplicationPolicy), or give the offset up with"
                    + " blobshuffle skip.");
        }
        if (notification.store() == fingerprint) {
            return missing(notification);
        }
        return new InvalidSettings(String.format(
                "Cannot read offset %d of %s: it was written to a store with fingerprint %08x, and this instance reads %s with fingerprint %08x. "
                        + "Give writers and readers the same blobshuffle.store.",
                offset, partition, notification.store(), store.location(), fingerprint));
    }

    /** Why the codec of a segment, or any key, cannot be had here, if so. */
    private @Nullable InvalidSettings missing(Notification notification) {
        try {
            notification.codec().requireLibrary();
            if (!keys.hasSource()) {
                notification.key().ifPresent(keys::require);
            }
            return null;
        } catch (InvalidSettings e) {
            return e;
        }
    }

    /** Whether a key is here. Keys that their source has withdrawn are not. */
    boolean isHere(String key) {
        keys.refresh(time);
        return keys.isHere(key);
    }

    /**
     * Asks for a key that is not here.
     *
     * @param whenEnded called once, on any thread, when it is here or cannot be had; only enqueues
     * @return why the key cannot be had; null while it is being asked for
     */
    @Nullable
    BlobShuffleException awaitKey(String key, Runnable whenEnded) {
        return awaitedKeys.await(key, whenEnded);
    }

    /** Takes note of bytes that did not match their checksum. */
    void corruptRead() {
        metrics.add(Counter.FETCHES_CORRUPT, 1);
    }

    /** Takes note of records of segments that were queued, or, negative, dropped. */
    void queued(long records) {
        lag.add(records);
    }

    /** Takes note of records of segments that were handed out. */
    void delivered(long records, long bytes) {
        lag.add(-records);
        metrics.add(Counter.RECORDS_DELIVERED, records);
        metrics.add(Counter.BYTES_DELIVERED, bytes);
    }

    /** Takes note of how long a record was here, in nanoseconds. */
    void handedOut(long nanos) {
        metrics.record(Latency.HAND_OUT_LATENCY, nanos);
    }

    /** Ends its metrics and its questions for keys. Idempotent. */
    @Override
    public void close() {
        awaitedKeys.close();
        gauges.forEach(ShuffleMetrics.Registration::close);
    }

    BlobStore store() {
        return store;
    }

    /** The store, with one download for all consumers that ask for the same bytes at a time. */
    BlobStore sharingStore() {
        return sharingStore;
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
