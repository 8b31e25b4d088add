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
        String store = String.valueOf(fromDriver.get(DriverSide.STORE));
        ExecutorShuffle.open(SparkSettings.withStore(context.conf(), store), context);
    }

    @Override
    public void shutdown() {
        ExecutorShuffle.closeCurrent();
    }
}
