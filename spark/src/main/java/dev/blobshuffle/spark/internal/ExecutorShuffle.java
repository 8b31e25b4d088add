package dev.blobshuffle.spark.internal;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.spark.internal.directory.DirectoryClient;
import dev.blobshuffle.spark.internal.directory.Whereabouts;
import dev.blobshuffle.spark.internal.read.BlobBlockClient;
import dev.blobshuffle.spark.internal.settings.Durability;
import dev.blobshuffle.spark.internal.settings.SparkSettings;
import dev.blobshuffle.spark.internal.write.MapBatcher;
import dev.blobshuffle.spark.internal.write.PackingRule;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext$;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shuffle of one executor: its store, its batcher, and its block client. Spark has one executor
 * per process. Batcher and client begin with the first task, when Spark knows where the executor
 * serves its blocks. Thread-safe.
 */
final class ExecutorShuffle implements AutoCloseable {
    private static final AtomicReference<Optional<ExecutorShuffle>> CURRENT = new AtomicReference<>(Optional.empty());

    private static final Logger LOG = LoggerFactory.getLogger(ExecutorShuffle.class);

    /** Spark, YARN and Kubernetes let an executor that must end go on for 30 seconds. */
    private static final Duration LAST_UPLOADS = Duration.ofSeconds(20);

    private final ShuffleInstance instance;
    private final Settings settings;
    private final PluginContext context;

    /** Empty before the first task. Guarded by this. */
    private Optional<Parts> parts = Optional.empty();

    private record Parts(DirectoryClient directory, MapBatcher batcher, BlobBlockClient client) {}

    private ExecutorShuffle(ShuffleInstance instance, Settings settings, PluginContext context) {
        this.instance = instance;
        this.settings = settings;
        this.context = context;
    }

    /** Opens that of this process. Blocks until the store answers. */
    static void open(Settings settings, PluginContext context) {
        ShuffleInstance instance = ShuffleInstance.builder(settings).open();
        CURRENT.getAndSet(Optional.of(new ExecutorShuffle(instance, settings, context)))
                .ifPresent(ExecutorShuffle::close);
    }

    /**
     * That of this process.
     *
     * @throws InvalidSettings fatal: the plug-in is not there
     */
    static ExecutorShuffle current() {
        return Objects.requireNonNull(CURRENT.get())
                .orElseThrow(() -> new InvalidSettings("Cannot shuffle through a store: executor "
                        + SparkEnv.get().executorId() + " has no plug-in. Set spark.plugins, and no shuffle manager."));
    }

    /** A shuffle is gone. Does nothing if no executor runs in this process. */
    static void drop(int shuffle) {
        Objects.requireNonNull(CURRENT.get())
                .ifPresent(executor -> executor.begun().ifPresent(parts -> parts.batcher.drop(shuffle)));
    }

    /** Closes that of this process. */
    static void closeCurrent() {
        CURRENT.getAndSet(Optional.empty()).ifPresent(ExecutorShuffle::close);
    }

    MapBatcher batcher() {
        return parts().batcher;
    }

    BlobBlockClient client() {
        return parts().client;
    }

    private synchronized Optional<Parts> begun() {
        return parts;
    }

    private synchronized Parts parts() {
        Parts begun = parts.orElseGet(this::begin);
        parts = Optional.of(begun);
        return begun;
    }

    private Parts begin() {
        BlobStore store = instance.engine().store();
        Time time = instance.time();
        SparkConf conf = SparkEnv.get().conf();
        BlockManagerId self = SparkEnv.get().blockManager().blockManagerId();
        DirectoryClient directory = new DirectoryClient(
                context::ask, new Whereabouts.Endpoint(self.executorId(), self.host(), self.port()));
        return new Parts(
                directory,
                new MapBatcher(store, directory, conf.getAppId(), rule(settings, conf), time),
                new BlobBlockClient(store, directory, settings.value(SparkSettings.READ_TIMEOUT), time));
    }

    private static PackingRule rule(Settings settings, SparkConf conf) {
        long bytes = settings.value(SparkSettings.BLOB_BYTES).bytes();
        if (settings.value(SparkSettings.DURABILITY) == Durability.SYNC) {
            return new PackingRule(
                    bytes, tasks(conf), settings.value(SparkSettings.SYNC_WAIT), PackingRule.WhenStored.RELEASE);
        }
        return new PackingRule(
                bytes, Integer.MAX_VALUE, settings.value(SparkSettings.UPLOAD_MIN_AGE), PackingRule.WhenStored.KEEP);
    }

    /** How many tasks an executor runs at once, as far as the settings say. */
    private static int tasks(SparkConf conf) {
        int local = SparkContext$.MODULE$.numDriverCores(conf.get("spark.master", ""));
        int cores = conf.getInt("spark.executor.cores", local == 0 ? Integer.MAX_VALUE : local);
        return Math.max(1, cores / conf.getInt("spark.task.cpus", 1));
    }

    /** Uploads what only this executor has, unless the application ends with it. */
    private void rescue(Parts parts) {
        if (parts.batcher.pending() == 0) {
            return;
        }
        try {
            if (!parts.directory.isEnding()) {
                parts.batcher.flush(LAST_UPLOADS);
            }
        } catch (BlobShuffleException e) {
            LOG.info("The last blobs of this executor stay with it.", e);
        }
    }

    @Override
    public void close() {
        begun().ifPresent(this::rescue);
        begun().ifPresent(parts -> {
            parts.batcher.close();
            parts.client.close();
        });
        instance.close();
    }
}
