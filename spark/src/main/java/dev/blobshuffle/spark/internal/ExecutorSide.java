package dev.blobshuffle.spark.internal;

import dev.blobshuffle.spark.internal.settings.SparkSettings;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;

/** The executor's half of the plug-in. It opens the executor's shuffle. Owned by Spark. */
public final class ExecutorSide implements ExecutorPlugin {
    /** Spark's plug-in makes it. */
    public ExecutorSide() {}

    @Override
    public void init(PluginContext context, Map<String, String> fromDriver) {
        int owner = Integer.parseInt(String.valueOf(fromDriver.get(DriverSide.OWNER)), 16);
        ExecutorShuffle.open(SparkSettings.of(context.conf(), here(context)), owner, context);
    }

    private static SparkSettings.Executor here(PluginContext context) {
        List<Path> disks = Arrays.stream(
                        SparkEnv.get().blockManager().diskBlockManager().localDirs())
                .map(File::toPath)
                .toList();
        return new SparkSettings.Executor(
                disks, context.hostname(), Runtime.getRuntime().maxMemory());
    }

    @Override
    public void shutdown() {
        ExecutorShuffle.closeCurrent();
    }
}
