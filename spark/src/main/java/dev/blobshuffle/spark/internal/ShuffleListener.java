package dev.blobshuffle.spark.internal;

import java.util.OptionalInt;
import java.util.Properties;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.jspecify.annotations.Nullable;
import scala.Option;

/** Receives the events of Spark's scheduler at the driver. Spark calls it on one thread. */
final class ShuffleListener extends SparkListener {
    /** Properties of the jobs of a micro-batch. */
    private static final String QUERY = "sql.streaming.queryId";

    private static final String BATCH = "streaming.sql.batchId";

    private final ApplicationShuffle shuffle;

    ShuffleListener(ApplicationShuffle shuffle) {
        this.shuffle = shuffle;
    }

    @Override
    public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
        shuffle.executorRemoved(removed.executorId(), removed.reason());
    }

    @Override
    public void onStageSubmitted(SparkListenerStageSubmitted submitted) {
        @Nullable Properties job = submitted.properties();
        if (job == null || job.getProperty(QUERY) == null || job.getProperty(BATCH) == null) {
            return;
        }
        Option<Object> written = submitted.stageInfo().shuffleDepId();
        shuffle.stageOfBatch(
                job.getProperty(QUERY),
                Long.parseLong(job.getProperty(BATCH)),
                written.isDefined() ? OptionalInt.of((int) written.get()) : OptionalInt.empty());
    }
}
