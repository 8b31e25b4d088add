package dev.blobshuffle.spark.internal;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.spark.internal.settings.Contradictions;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.api.ShuffleDataIO;
import org.apache.spark.shuffle.api.ShuffleDriverComponents;
import org.apache.spark.shuffle.api.ShuffleExecutorComponents;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO;

/**
 * Answers Spark about the shuffles of an application: they outlive executors, and their blobs end
 * with them. Map outputs are written as Spark does by itself. Thread-safe.
 */
public final class BlobShuffleDataIO implements ShuffleDataIO {
    private final ShuffleDataIO local;

    /**
     * Spark calls it.
     *
     * @throws InvalidSettingsException fatal: the plug-in is missing
     */
    public BlobShuffleDataIO(SparkConf conf) {
        Contradictions.requirePlugin(conf, "data I/O of the shuffle");
        local = new LocalDiskShuffleDataIO(conf);
    }

    @Override
    public ShuffleExecutorComponents executor() {
        return local.executor();
    }

    @Override
    public ShuffleDriverComponents driver() {
        return new Driver(local.driver());
    }

    private record Driver(ShuffleDriverComponents local) implements ShuffleDriverComponents {
        @Override
        public Map<String, String> initializeApplication() {
            ApplicationShuffle.current().started();
            return local.initializeApplication();
        }

        @Override
        public void registerShuffle(int shuffle) {
            local.registerShuffle(shuffle);
        }

        @Override
        public void removeShuffle(int shuffle, boolean blocking) {
            local.removeShuffle(shuffle, blocking);
            ApplicationShuffle.current().removeShuffle(shuffle);
        }

        @Override
        public void cleanupApplication() {
            local.cleanupApplication();
            ApplicationShuffle.current().end();
        }

        @Override
        public boolean supportsReliableStorage() {
            return true;
        }
    }
}
