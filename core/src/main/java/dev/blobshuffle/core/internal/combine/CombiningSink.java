package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.write.upload.BlobSink;
import dev.blobshuffle.core.internal.write.upload.Placement;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Hands small blobs to the hub of the zone, and stores all others itself. It alone decides which
 * blob is announced: the hub's or its own, whichever is durable first. Thread-safe.
 */
public final class CombiningSink implements BlobSink {
    /** The weight of a new answer time in the average. */
    private static final double WEIGHT = 0.1;

    private static final int SLOWER = 2;

    private final BlobSink own;
    private final BlobStore store;
    private final HandOver handOver;
    private final Hubs hubs;
    private final CombineOptions options;
    private final CombiningPolicy policy;
    private final Time time;
    private final ShuffleMetrics metrics;

    /** Recent average of the time to an answer, nanoseconds. Guarded by this. */
    private double answerNanos;

    /** A sink that hands over every small blob; otherwise as the other constructor. */
    public CombiningSink(
            BlobSink own,
            BlobStore store,
            HandOver handOver,
            Hubs hubs,
            CombineOptions options,
            Time time,
            ShuffleMetrics metrics) {
        this(own, store, handOver, hubs, options, CombiningPolicy.ALWAYS, time, metrics);
    }

    /**
     * A sink.
     *
     * @param own stores the blobs that are not combined
     * @param store the store of both, whose owner permits to store
     * @param policy decides which small blobs are handed over
     */
    public CombiningSink(
            BlobSink own,
            BlobStore store,
            HandOver handOver,
            Hubs hubs,
            CombineOptions options,
            CombiningPolicy policy,
            Time time,
            ShuffleMetrics metrics) {
        this.own = own;
        this.store = store;
        this.handOver = handOver;
        this.hubs = hubs;
        this.options = options;
        this.policy = policy;
        this.time = time;
        this.metrics = metrics;
    }

    @Override
    public boolean inlines(long batchBytes, long alone) {
        return policy.inlines(batchBytes, alone);
    }

    @Override
    public CompletionStage<Placement> put(BlobId id, BlobLayout layout, BlobContent content) {
        return put(id, layout, content, readable -> {});
    }

    /** A part is durable when its hub answers, so only an own blob is readable before that. */
    @Override
    public CompletionStage<Placement> put(
            BlobId id, BlobLayout layout, BlobContent content, Consumer<Placement> whenReadable) {
        boolean isWanted = policy.handsOver(layout.length()); // Asked for every blob, because it learns sizes.
        if (!isWanted || layout.length() >= options.partBytes() || !mayStore(id)) {
            return own.put(id, layout, content, whenReadable);
        }
        Optional<Member> hub = hubs.choose(id.owner());
        if (hub.isEmpty()) {
            metrics.add(Counter.PARTS_WITHOUT_HUB, 1);
            return own.put(id, layout, content, whenReadable);
        }
        metrics.add(Counter.PARTS_HANDED_OVER, 1);
        SharedPut put = new SharedPut(this, id, layout, content);
        put.start(hub.get());
        return put.result();
    }

    /**
     * Whether this instance may store for the blob's owner right now, as a put of its own would
     * ask. Otherwise the put of its own waits for the permission. A blob without an owner is never
     * combined, because others could delete it.
     */
    private boolean mayStore(BlobId id) {
        if (id.owner() == BlobId.NO_OWNER) {
            return false;
        }
        CompletableFuture<Integer> owner = store.owner().toCompletableFuture();
        return owner.isDone() && !owner.isCompletedExceptionally() && owner.join() == id.owner();
    }

    CompletionStage<Placement> putByItself(BlobId id, BlobLayout layout, BlobContent content) {
        return own.put(id, layout, content);
    }

    CombiningPolicy policy() {
        return policy;
    }

    HandOver handOver() {
        return handOver;
    }

    Hubs hubs() {
        return hubs;
    }

    Time time() {
        return time;
    }

    void count(Counter counter) {
        metrics.add(counter, 1);
    }

    /** The time after which a part is also stored by itself. */
    synchronized Duration patience() {
        Duration recent = Duration.ofNanos((long) (SLOWER * answerNanos));
        return recent.compareTo(options.slow()) > 0 ? recent : options.slow();
    }

    synchronized void answeredAfter(long nanos) {
        answerNanos = answerNanos == 0 ? nanos : answerNanos + WEIGHT * (nanos - answerNanos);
    }
}
