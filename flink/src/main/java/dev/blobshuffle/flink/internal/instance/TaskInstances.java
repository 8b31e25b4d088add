package dev.blobshuffle.flink.internal.instance;

import dev.blobshuffle.core.internal.instance.SharedInstances;
import dev.blobshuffle.core.internal.instance.SharedInstances.Share;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.retain.JobStore;
import dev.blobshuffle.flink.internal.settings.FlinkSettings;
import java.util.Map;
import org.apache.flink.api.common.JobID;

/**
 * The instances of this process, one for all shuffles of a job with the same settings. The first
 * task opens it, and the last one closes it; a task of the next attempt may open it again.
 * Thread-safe.
 */
public final class TaskInstances {
    private static final SharedInstances<Key, ShuffleInstance> OPEN = new SharedInstances<>();

    private TaskInstances() {}

    /** Tasks with the same key share an instance. */
    private record Key(Map<String, String> settings, String job) {}

    /**
     * A share of the instance of a shuffle. Blocks while it opens or closes.
     *
     * @param jobId Flink's id of the job
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException recoverable: the store does
     *     not work now
     */
    public static Share<ShuffleInstance> acquire(ShufflePlan plan, JobID jobId) {
        String job = plan.job(jobId.toHexString());
        return OPEN.acquire(
                new Key(plan.settings(), job),
                () -> ShuffleInstance.builder(FlinkSettings.parse(plan.settings()))
                        .stores((uri, context) -> JobStore.open(uri, context, job))
                        .open());
    }

    /** Instances that are open, opening or closing. */
    public static int count() {
        return OPEN.count();
    }
}
