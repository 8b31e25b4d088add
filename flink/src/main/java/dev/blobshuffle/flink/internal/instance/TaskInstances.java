package dev.blobshuffle.flink.internal.instance;

import dev.blobshuffle.core.internal.instance.SharedInstances;
import dev.blobshuffle.core.internal.instance.SharedInstances.Share;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.settings.FlinkSettings;
import java.util.Map;

/**
 * The instances of this process, one for all shuffles with the same settings. The first task opens
 * it, and the last one closes it; a task of the next attempt may open it again. Flink loads the
 * classes of each job separately, so jobs share nothing unless the jar is in Flink's own class
 * path. Thread-safe.
 */
public final class TaskInstances {
    private static final SharedInstances<Map<String, String>, ShuffleInstance> OPEN = new SharedInstances<>();

    private TaskInstances() {}

    /**
     * A share of the instance of a shuffle. Blocks while it opens or closes.
     *
     * @throws dev.blobshuffle.core.failure.StoreUnavailable recoverable: the store does not work
     *     now
     */
    public static Share<ShuffleInstance> acquire(ShufflePlan plan) {
        return OPEN.acquire(
                plan.settings(),
                () -> ShuffleInstance.builder(FlinkSettings.parse(plan.settings()))
                        .open());
    }

    /** Instances that are open, opening or closing. */
    public static int count() {
        return OPEN.count();
    }
}
