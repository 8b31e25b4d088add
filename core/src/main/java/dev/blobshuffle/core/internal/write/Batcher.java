package dev.blobshuffle.core.internal.write;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.write.deliver.DeliveryContext;
import dev.blobshuffle.core.internal.write.deliver.DeliveryQueue;
import dev.blobshuffle.core.internal.write.deliver.Segment;
import dev.blobshuffle.core.internal.write.log.ChunkPool;
import dev.blobshuffle.core.internal.write.log.PartitionLog;
import dev.blobshuffle.core.internal.write.options.BatchScope;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.seal.GroupCommit;
import dev.blobshuffle.core.internal.write.seal.OpenBatch;
import dev.blobshuffle.core.internal.write.seal.Pacing;
import dev.blobshuffle.core.internal.write.seal.SealReason;
import dev.blobshuffle.core.internal.write.upload.BlobSink;
import dev.blobshuffle.core.internal.write.upload.StoreSink;
import dev.blobshuffle.core.internal.write.upload.UploadObserver;
import dev.blobshuffle.core.internal.write.upload.Uploads;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The write side of an instance (the BlobShuffle paper, section 3.1, and more). Lanes append
 * records to a shared batch. The batch is sealed when it reaches its size or delay, at a flush, or
 * under memory pressure. Its records become blobs in the store. Each lane sends the notifications
 * of its segments to its own channel, in order.
 *
 * <p>The path of a record, and the class responsible for each step:
 *
 * <pre>
 *   append ──▶ {@link PartitionLog}: a log per lane and partition, in chunks of the {@link ChunkPool}
 *     seal ──▶ {@link OpenBatch}: cuts a {@link Segment} out of each log, and queues it in its lane's {@link DeliveryQueue}
 *   upload ──▶ {@link Uploads}: packs segments into blobs, encodes and puts each, or inlines them
 *  deliver ──▶ {@link DeliveryQueue}: hands segments to the {@link Channel} in append order per partition
 * </pre>
 *
 * <p>Thread-safe. No lock is held during a call of a store or a channel. Locks are taken in this
 * order only: this, OpenBatch, DeliveryQueue, the locks of an upload, ChunkPool, Chunk.
 */
public final class Batcher implements AutoCloseable {
    private final BatcherOptions options;
    private final Time time;
    private final ShuffleMetrics metrics;
    private final ChunkPool pool;
    private final Uploads uploads;
    private final DeliveryContext deliveries;
    private final GroupCommit groupCommit;
    private final @Nullable Pacing pacing;
    private final ShuffleMetrics.Registration gauge;

    /** Guarded by this, like the next two fields. */
    private final Set<BatchingLane> lanes = new LinkedHashSet<>();

    private final OpenBatch shared;
    private boolean isClosed;

    /**
     * A Batcher without lanes.
     *
     * @param store stores the blobs, with its own retries: for the Batcher, a failed put is final.
     *     The caller closes it
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the codec's library is
     *     not on the class path
     */
    public Batcher(BlobStore store, BatcherOptions options, Time time, ShuffleMetrics metrics) {
        this(store, options, time, metrics, BlobId.writer(time.randomLong()));
    }

    /**
     * A Batcher without lanes, with a given writer number.
     *
     * @param writer the writer in the ids of its blobs: random, and new at every start
     */
    public Batcher(BlobStore store, BatcherOptions options, Time time, ShuffleMetrics metrics, long writer) {
        this(store, new StoreSink(store), options, time, metrics, writer);
    }

    /**
     * A Batcher without lanes, whose blobs a sink stores.
     *
     * @param sink stores the blobs in the store, or through another member
     */
    public Batcher(
            BlobStore store, BlobSink sink, BatcherOptions options, Time time, ShuffleMetrics metrics, long writer) {
        this.options = options;
        this.time = time;
        this.metrics = metrics;
        pool = new ChunkPool(options.bufferBytes(), options.chunkBytes(), options.recordBytes(), time.signal());
        pacing = options.target()
                .map(target -> new Pacing(target, time, metrics))
                .orElse(null);
        deliveries = new DeliveryContext(options, time, metrics, pool.released(), this::delivered);
        uploads = new Uploads(store, sink, options, time, metrics, writer, new UploadedBlobs());
        groupCommit = new GroupCommit(time);
        shared = newBatch();
        gauge = metrics.report(Gauge.WRITE_BUFFER_USED, pool::used);
    }

    /**
     * A new lane.
     *
     * @param name names the lane in logs and footers
     * @throws ClosedException fatal: the Batcher is closed
     */
    public Lane lane(String name, Channel channel) {
        synchronized (this) {
            if (isClosed) {
                throw new ClosedException("Cannot open lane " + name + ": the Batcher is closed.");
            }
            OpenBatch batch = options.scope() == BatchScope.INSTANCE ? shared : newBatch();
            BatchingLane lane = new BatchingLane(name, channel, this, batch);
            lanes.add(lane);
            batch.add(lane);
            return lane;
        }
    }

    private OpenBatch newBatch() {
        return new OpenBatch(options, time, uploads, pacing, metrics);
    }

    /** Bytes of the write budget that are in use. */
    public long usedBytes() {
        return pool.used();
    }

    BatcherOptions options() {
        return options;
    }

    Time time() {
        return time;
    }

    ChunkPool pool() {
        return pool;
    }

    Uploads uploads() {
        return uploads;
    }

    ShuffleMetrics metrics() {
        return metrics;
    }

    DeliveryContext deliveries() {
        return deliveries;
    }

    GroupCommit groupCommit() {
        return groupCommit;
    }

    void remove(BatchingLane lane) {
        synchronized (this) {
            lanes.remove(lane);
        }
        lane.batch().remove(lane);
        if (lane.batch() != shared) {
            lane.batch().close();
        }
        groupCommit.remove(lane);
    }

    /** Seals every batch. */
    void sealAll(SealReason reason) {
        for (OpenBatch batch : batches()) {
            batch.seal(reason);
        }
    }

    private synchronized Set<OpenBatch> batches() {
        Set<OpenBatch> batches = new LinkedHashSet<>();
        for (BatchingLane lane : lanes) {
            batches.add(lane.batch());
        }
        return batches;
    }

    private void delivered(Segment segment, long nowNanos) {
        if (pacing != null) {
            pacing.delivered(segment, nowNanos);
        }
    }

    private final class UploadedBlobs implements UploadObserver {
        @Override
        public void stored(long bytes, long nanosSinceSeal) {
            if (pacing != null) {
                pacing.stored(bytes, nanosSinceSeal);
            }
        }

        @Override
        public void ended() {
            for (OpenBatch batch : batches()) {
                if (batch.isPostponed()) {
                    deliveries.execute(batch::sealPostponed);
                }
            }
        }
    }

    /**
     * Ends everything abruptly: records that were not flushed are not sent, and lanes fail with
     * {@code ClosedException}. Idempotent.
     */
    @Override
    public void close() {
        List<BatchingLane> open;
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            open = new ArrayList<>(lanes);
        }
        pool.close();
        for (BatchingLane lane : open) {
            boolean ignored = lane.end();
            remove(lane);
        }
        shared.close();
        deliveries.close();
        uploads.close();
        if (pacing != null) {
            pacing.close();
        }
        gauge.close();
    }
}
