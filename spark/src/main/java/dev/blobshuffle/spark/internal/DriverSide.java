package dev.blobshuffle.spark.internal;

import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.spark.internal.settings.Contradictions;
import dev.blobshuffle.spark.internal.settings.SparkSettings;
import dev.blobshuffle.spark.internal.settings.StorePlace;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;

/**
 * The driver's half of the plug-in. It checks the settings, makes those that Spark needs, and keeps
 * the directory of blobs. Spark makes its shuffle manager after the plug-ins. Owned by Spark.
 */
public final class DriverSide implements DriverPlugin {
    /** The name under which executors get the owner of the application's blobs. */
    static final String OWNER = "owner";

    /** Spark's plug-in makes it. */
    public DriverSide() {}

    @Override
    public Map<String, String> init(SparkContext spark, PluginContext context) {
        SparkConf conf = spark.conf();
        Contradictions.requireSupported(spark.version());
        Settings settings = SparkSettings.of(conf);
        Contradictions.requireManager(spark.version(), conf);
        StorePlace.requireReachable(StoreSettings.uri(settings));
        Contradictions.settle(conf, BlobShuffle.class, BlobShuffleDataIO.class);
        ApplicationShuffle shuffle =
                ApplicationShuffle.open(settings, conf.get("spark.app.name", ""), spark::isStopped);
        spark.addSparkListener(new ShuffleListener(shuffle));
        return Map.of(OWNER, BlobId.hex(shuffle.owner()));
    }

    @Override
    public void registerMetrics(String application, PluginContext context) {
        ApplicationShuffle.current().show(context.metricRegistry());
    }

    @Override
    public Object receive(Object message) {
        return ApplicationShuffle.answer((List<?>) message);
    }

    /**
     * {@link BlobShuffleDataIO} ends the shuffle, after the last task, unless Spark has none yet.
     */
    @Override
    public void shutdown() {
        ApplicationShuffle.endUnlessStarted();
    }
}
