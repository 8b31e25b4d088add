package dev.blobshuffle.core.internal.instance;

import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.Answers;
import dev.blobshuffle.core.internal.metrics.LabelledMetrics;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.util.Optional;

/**
 * An open instance, for monitoring. Thread-safe.
 *
 * @param shown its metrics, with the labels that distinguish it from other instances of the process
 * @param store its store, with all decorators; closed by the instance
 * @param membership the other instances
 * @param time its clocks and threads
 * @param log its commit log; empty if a channel of Kafka carries its notifications
 */
public record RunningInstance(
        LabelledMetrics shown, BlobStore store, Membership membership, Time time, Optional<Log> log) {
    /**
     * The commit log of an instance.
     *
     * @param location its URI without parameters
     * @param answers the results of the instance's calls
     */
    public record Log(String location, Answers answers) {}

    /** The instance with its labels. */
    public static RunningInstance of(ShuffleInstance instance, LabelledMetrics shown) {
        return new RunningInstance(
                shown, instance.engine().store(), instance.membership(), instance.time(), Optional.empty());
    }

    /** The same instance with its commit log. */
    public RunningInstance over(Log used) {
        return new RunningInstance(shown, store, membership, time, Optional.of(used));
    }
}
