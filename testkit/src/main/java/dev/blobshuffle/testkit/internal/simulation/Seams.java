package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.internal.retention.SweepTiming;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.write.upload.BlobSink;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.simulator.SimulatedTime;
import java.util.function.Function;

/**
 * The points at which a test puts a faulty part into the engine, to prove that the simulation finds
 * it. The default changes nothing.
 */
public interface Seams {
    /** The engine as it is. */
    Seams NONE = new Seams() {};

    /** The store as an instance sees it, below the engine's retries. */
    default BlobStore store(BlobStore store, SimulatedTime time) {
        return store;
    }

    /** The fast half of a store of two speeds, as an instance sees it. */
    default BlobStore fastStore(BlobStore store) {
        return store;
    }

    /** The store as a hub sees it. */
    default BlobStore hubStore(BlobStore store, SimulatedTime time) {
        return store;
    }

    /**
     * The sink of an instance's blobs.
     *
     * @param store the instance's store
     */
    default BlobSink sink(BlobSink sink, BlobStore store) {
        return sink;
    }

    /**
     * A writer's lane.
     *
     * @param open opens a real lane to a channel; may be called more than once
     */
    default Lane lane(Function<Channel, Lane> open, Channel channel, SimulatedTime time) {
        return open.apply(channel);
    }

    /** When instances sweep. */
    default SweepTiming sweeps(SweepTiming timing) {
        return timing;
    }

    /** The logs as a sweep reads them. */
    default NotificationLogs logs(NotificationLogs logs) {
        return logs;
    }

    /** A reader's Debatcher. */
    default <C> Debatcher<C> debatcher(Debatcher<C> debatcher) {
        return debatcher;
    }
}
