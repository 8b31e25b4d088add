package dev.blobshuffle.core.internal.shuffle;

import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.store.BlobStore;

/**
 * The parts that all clients of one application instance share: the store, the Batcher, the read
 * budget and the metrics. A front door opens an engine, opens a lane per producer and a Debatcher
 * per consumer, and closes the engine last. Thread-safe.
 */
public interface Engine extends AutoCloseable {
    /**
     * A new lane.
     *
     * @param name names the lane in logs and footers, for example the client id
     */
    Lane lane(String name, Channel channel);

    /**
     * A new read side.
     *
     * @param name names it in logs, for example the client id
     */
    <C> Debatcher<C> debatcher(String name);

    /** The store, with its decorators. */
    BlobStore store();

    /** The counters of this instance. */
    ShuffleMetrics metrics();

    /** Ends everything abruptly. Records that were not flushed are not sent. Idempotent. */
    @Override
    void close();
}
