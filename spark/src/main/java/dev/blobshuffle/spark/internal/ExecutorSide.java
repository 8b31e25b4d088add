package dev.blobshuffle.spark.internal;

import dev.blobshuffle.spark.internal.settings.SparkSettings;
import java.util.Map;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;

/** The executor's half of the plug-in. It opens the executor's shuffle. Owned by Spark. */
public final class ExecutorSide implements ExecutorPlugin {
    /** Spark's plug-in makes it. */
    public ExecutorSide() {}

    @Override
    public void init(PluginContext context, Map<String, String> fromDriver) {
        int owner = Integer.parseInt(String.valueOf(fromDriver.get(DriverSide.OWNER)), 16);
        ExecutorShuffle.open(SparkSettings.of(context.conf()), owner, context);
    }

    @Override
    public void shutdown() {
        ExecutorShuffle.closeCurrent();
    }
}
