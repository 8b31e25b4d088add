package dev.blobshuffle.spark.internal;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.spark.internal.directory.DirectoryClient;
import dev.blobshuffle.spark.internal.directory.ExecutorMembers;
import dev.blobshuffle.spark.internal.directory.Usage;
import dev.blobshuffle.spark.internal.directory.Whereabouts;
import dev.blobshuffle.spark.internal.read.BlobBlockClient;
import dev.blobshuffle.spark.internal.read.ShuffleWindows;
import dev.blobshuffle.spark.internal.settings.Durability;
import dev.blobshuffle.spark.internal.settings.SparkSettings;
import dev.blobshuffle.spark.internal.write.LocalDisk;
import dev.blobshuffle.spark.internal.write.MapBatcher;
import dev.blobshuffle.spark.internal.write.PackingRule;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
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

    /** Spark waits for an executor that it decommissions. */
    private static final Duration DECOMMISSION = Duration.ofMinutes(10);

    private static final Duration REPORT = Duration.ofSeconds(5);

    private final ShuffleInstance instance;
    private final ExecutorMembers members;
    private final Settings settings;
    private final int owner;
    private final PluginContext context;

    private final Time.Workers reporting;

    /** Owned by its thread. */
    private Usage reported = Usage.NONE;

    /** Empty before the first task. Guarded by this. */
    private Optional<Parts> parts = Optional.empty();

    private record Parts(DirectoryClient directory, MapBatcher batcher, BlobBlockClient client) {}

    private ExecutorShuffle(
            ShuffleInstance instance, ExecutorMembers members, Settings settings, int owner, PluginContext context) {
        this.instance = instance;
        this.members = members;
        this.settings = settings;
        this.owner = owner;
        this.context = context;
        reporting = instance.time().workers("blobshuffle-spark-report", 1);
        StoreUsage.show(instance, context.metricRegistry());
        reportLater();
    }

    /**
     * Opens that of this process. Blocks until the store answers.
     *
     * @param owner of the application's blobs
     */
    static void open(Settings settings, int owner, PluginContext context) {
        ExecutorMembers members = new ExecutorMembers();
        ShuffleInstance instance =
                SparkSettings.opened(ShuffleInstance.builder(settings).membership(time -> members));
        CURRENT.getAndSet(Optional.of(new ExecutorShuffle(instance, members, settings, owner, context)))
                .ifPresent(ExecutorShuffle::close);
    }

    /**
     * That of this process.
     *
     * @throws InvalidSettingsException fatal: the plug-in is not there
     */
    static ExecutorShuffle current() {
        return Objects.requireNonNull(CURRENT.get())
                .orElseThrow(() -> new InvalidSettingsException("Cannot shuffle through a store: executor "
                        + SparkEnv.get().executorId()
                        + " has no plug-in. Set spark.plugins=dev.blobshuffle.spark.BlobShufflePlugin."));
    }

    /** The executor is decommissioned: stores all outputs. Blocks until they are, or cannot be. */
    static void leave() {
        current(Parts::batcher).ifPresent(batcher -> {
            boolean isAll = batcher.leave(DECOMMISSION);
            LOG.debug("All outputs of this executor are stored: {}", isAll);
        });
    }

    /** Whether the output of an attempt is in the store. */
    static boolean isStored(int shuffle, long attempt) {
        return current(Parts::batcher)
                .filter(batcher -> batcher.isStored(shuffle, attempt))
                .isPresent();
    }

    private static <T> Optional<T> current(Function<Parts, T> part) {
        return Objects.requireNonNull(CURRENT.get())
                .flatMap(ExecutorShuffle::begun)
                .map(part);
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
                context::ask, new Whereabouts.Endpoint(self.executorId(), self.host(), self.port()), settings.zone());
        directory.join();
        LocalDisk disk =
                LocalDisk.reserving(settings.value(SparkSettings.DISK_RESERVE).bytes());
        members.refresh(directory);
        BlobBlockClient.Reading reading = new BlobBlockClient.Reading(
                store,
                settings.value(SparkSettings.READ_TIMEOUT),
                settings.value(SparkSettings.ZONE_UPLOAD_WAIT),
                windows(),
                members);
        MapBatcher.Target target = new MapBatcher.Target(store, owner, conf.getAppId());
        return new Parts(
                directory,
                new MapBatcher(target, directory, rule(settings, conf), disk, time),
                new BlobBlockClient(reading, directory, new OwnOutputs(disk), time));
    }

    private ShuffleWindows windows() {
        CacheOptions caching = CacheOptions.of(settings);
        long own = caching.memoryBytes() + (caching.diskDirectories().isEmpty() ? 0 : caching.diskBytes());
        return new ShuffleWindows(
                settings.value(SparkSettings.READ_WINDOW).bytes(),
                () -> own * Math.max(1, members.members(settings.zone()).size()));
    }

    /** The files of Spark's own resolver. */
    private record OwnOutputs(LocalDisk disk) implements BlobBlockClient.OwnFiles {
        @Override
        public boolean has(int shuffle, long attempt) {
            return SparkEnv.get().shuffleManager() instanceof BlobShuffle blobs
                    && Files.exists(blobs.file(shuffle, attempt));
        }

        @Override
        public boolean keeps(int shuffle, long attempt) {
            return SparkEnv.get().shuffleManager() instanceof BlobShuffle blobs
                    && Files.exists(blobs.file(shuffle, attempt))
                    && !disk.isTight(blobs.file(shuffle, attempt));
        }
    }

    private void reportLater() {
        try {
            Time.Cancellable ignored = instance.time().schedule(REPORT, this::startReport);
        } catch (ClosedException e) {
            LOG.trace("The executor has ended.", e);
        }
    }

    /** On the timer's thread. */
    private void startReport() {
        try {
            reporting.execute(this::report);
        } catch (ClosedException e) {
            LOG.trace("The executor has ended.", e);
        }
    }

    /** The driver adds up what all executors ask of the store, and lists the executors. */
    private void report() {
        try {
            begun().ifPresent(parts -> members.refresh(parts.directory));
            begun().ifPresent(this::reportUsage);
        } catch (BlobShuffleException e) {
            LOG.debug("The driver does not take the report.", e);
        } finally {
            reportLater();
        }
    }

    private void reportUsage(Parts begun) {
        Usage usage = usage(begun);
        if (!usage.equals(reported)) {
            begun.directory.used(usage);
            reported = usage;
        }
    }

    private Usage usage(Parts begun) {
        return begun.client.readingOf(StoreUsage.of(instance));
    }

    private static PackingRule rule(Settings settings, SparkConf conf) {
        Duration awayAge = settings.value(SparkSettings.ZONE_UPLOAD_AGE);
        long bytes = settings.value(SparkSettings.BLOB_BYTES).bytes();
        if (settings.value(SparkSettings.DURABILITY) == Durability.SYNC) {
            return new PackingRule(
                    bytes,
                    tasks(conf),
                    settings.value(SparkSettings.SYNC_WAIT),
                    awayAge,
                    PackingRule.WhenStored.RELEASE);
        }
        return new PackingRule(
                bytes,
                Integer.MAX_VALUE,
                settings.value(SparkSettings.UPLOAD_MIN_AGE),
                awayAge,
                PackingRule.WhenStored.KEEP);
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
                parts.directory.used(usage(parts));
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
        reporting.close();
        instance.close();
    }
}
