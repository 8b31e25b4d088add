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
     * A new read side, whose owner waits by {@link Debatcher#awaitProgress}.
     *
     * @param name names it in logs, for example the client id
     */
    default <C> Debatcher<C> debatcher(String name) {
        return debatcher(name, () -> {});
    }

    /**
     * A new read side for an owner that must not block. After a call of {@code onProgress}, the
     * owner calls {@link Debatcher#prefetch}, then {@link Debatcher#drain} for as long as {@link
     * Debatcher#isReady} is true.
     *
     * @param name names it in logs, for example the client id
     * @param onProgress called after a segment, a part of one, a failure or a key has arrived; on
     *     any thread, perhaps several at once, and perhaps once more after the close. It must
     *     return at once and throw nothing
     */
    <C> Debatcher<C> debatcher(String name, Runnable onProgress);

    /** The store, with its decorators. */
    BlobStore store();

    /** The counters of this instance. */
    ShuffleMetrics metrics();

    /** Ends everything abruptly. Records that were not flushed are not sent. Idempotent. */
    @Override
    void close();
}
