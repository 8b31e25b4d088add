package dev.blobshuffle.spark.internal;

import dev.blobshuffle.spark.internal.settings.SparkSettings;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;

/** The executor's half of the plug-in. It opens the executor's shuffle. Owned by Spark. */
public final class ExecutorSide implements ExecutorPlugin {
    /** Spark's plug-in makes it. */
    public ExecutorSide() {}

    @Override
    public void init(PluginContext context, Map<String, String> fromDriver) {
        int owner = Integer.parseInt(String.valueOf(fromDriver.get(DriverSide.OWNER)), 16);
        ExecutorShuffle.open(SparkSettings.of(context.conf(), here(context.conf())), owner, context);
    }

    /** With a local master, Spark does not know yet where the executor serves its blocks. */
    private static SparkSettings.Executor here(SparkConf conf) {
        BlockManager blocks = SparkEnv.get().blockManager();
        List<Path> disks = Arrays.stream(blocks.diskBlockManager().localDirs())
                .map(File::toPath)
                .toList();
        String host = Optional.ofNullable(blocks.blockManagerId())
                .map(BlockManagerId::host)
                .orElseGet(() -> conf.get("spark.driver.host", "localhost"));
        return new SparkSettings.Executor(disks, host, Runtime.getRuntime().maxMemory());
    }

    @Override
    public void shutdown() {
        ExecutorShuffle.closeCurrent();
    }
}
