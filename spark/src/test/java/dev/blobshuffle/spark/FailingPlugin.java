package dev.blobshuffle.spark;

import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.jspecify.annotations.Nullable;

/** A plug-in of someone else, with which no application starts. */
public final class FailingPlugin implements SparkPlugin {
    static final String REASON = "the other plug-in fails";

    /** Spark calls it. */
    public FailingPlugin() {}

    @Override
    public DriverPlugin driverPlugin() {
        return new DriverPlugin() {
            @Override
            public Map<String, String> init(SparkContext spark, PluginContext context) {
                throw new IllegalStateException(REASON);
            }
        };
    }

    @Override
    public @Nullable ExecutorPlugin executorPlugin() {
        return null; // Spark then runs nothing of it at executors.
    }
}
