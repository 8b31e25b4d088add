package dev.blobshuffle.core.internal.instance;

import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.LabelledMetrics;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;

/**
 * An open instance, for monitoring. Thread-safe.
 *
 * @param shown its metrics, with the labels that distinguish it from other instances of the process
 * @param store its store, with all decorators; closed by the instance
 * @param membership the other instances
 * @param time its clocks and threads
 */
public record RunningInstance(LabelledMetrics shown, BlobStore store, Membership membership, Time time) {
    /** The instance with its labels. */
    public static RunningInstance of(ShuffleInstance instance, LabelledMetrics shown) {
        return new RunningInstance(shown, instance.engine().store(), instance.membership(), instance.time());
    }
}
