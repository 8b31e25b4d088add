package dev.blobshuffle.spark.internal.settings;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.settings.ZoneSettings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.settings.ByteSize;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;
import scala.Tuple2;

/**
 * The settings of the shuffles of a Spark application. In Spark's configuration their names begin
 * with {@code spark.blobshuffle.}; without {@code spark.} they are names of {@link Settings}.
 * Stateless.
 */
public final class SparkSettings implements SettingGroup {
    /** Spark ignores settings without it. The names of ours follow. */
    public static final String PREFIX = "spark.";

    /** When a map's output is in the store. */
    public static final Setting<Durability> DURABILITY = Setting.choice(
            "durability",
            Durability.WRITE_BEHIND,
            "`write-behind`: a map ends when its output is on the executor's disk, and the output is uploaded"
                    + " later. `sync`: a map ends when its output is in the store, and the output leaves the"
                    + " executor's disk.");

    /** How long a blob stays local if other zones may read it. */
    public static final Setting<Duration> ZONE_UPLOAD_AGE = Setting.millis(
            "zone.upload.age.ms",
            1,
            1_000,
            "With `write-behind` and executors in several zones, how long a blob waits for its upload."
                    + " Executors of other zones read it from the store.");

    /** How long readers of other zones wait. */
    public static final Setting<Duration> ZONE_UPLOAD_WAIT = Setting.millis(
            "zone.upload.wait.ms",
            0,
            10_000,
            "How long a reader waits for the upload of a blob in another zone. Then the bytes come from the"
                    + " executor that wrote them, and cross zones.");

    /** How long a blob stays local. */
    public static final Setting<Duration> UPLOAD_MIN_AGE = Setting.millis(
            "upload.min.age.ms",
            1,
            30_000,
            "With `write-behind`, how long a blob waits for its upload. A shuffle that Spark removes earlier"
                    + " causes no request.");

    /** How long maps wait for each other. */
    public static final Setting<Duration> SYNC_WAIT = Setting.millis(
            "sync.wait.ms",
            1,
            20,
            "With `sync`, how long a map that ends waits for others, to share their blob. It does not wait"
                    + " if the blob has as many maps as the executor runs at once.");

    /** From which size on a blob takes no further map. */
    public static final Setting<ByteSize> BLOB_BYTES = Setting.size(
            "blob.bytes",
            new ByteSize(1),
            new ByteSize(64 << 20),
            "A blob of this size takes no further map. It may exceed the size by one map.");

    /** How long a read of the store may take. */
    public static final Setting<Duration> READ_TIMEOUT = Setting.millis(
            "read.timeout.ms",
            1,
            60_000,
            "How long a read of the store is retried. Then Spark runs the maps of the blob again.");

    /** The part of a blob that a cache loads at a time. */
    public static final Setting<ByteSize> READ_WINDOW = Setting.size(
            "read.window.bytes",
            new ByteSize(64 << 10),
            new ByteSize(16 << 20),
            "The part of a blob, aligned in it, that a read of the store loads into the cache. Other reads"
                    + " of the part come from there. It is smaller for a shuffle with so many blobs that half"
                    + " the cache cannot hold one such part of each.");

    /** When outputs leave the disk early. */
    public static final Setting<ByteSize> DISK_RESERVE = Setting.size(
            "disk.reserve.bytes",
            new ByteSize(0),
            new ByteSize(1L << 30),
            "When an executor's disk has less room, blobs are uploaded at once, and the outputs of stored"
                    + " blobs leave the disk. 0: never.");

    /** How long blobs outlive a driver that was killed. */
    public static final Setting<Duration> LEASE = Setting.millis(
            "lease.ms",
            1_000,
            3_600_000,
            "How long the blobs of the application stay after the last sign of life of its driver. A quarter"
                    + " of that later, another application of the store deletes them. The driver gives a sign"
                    + " each minute. A driver that stands still for longer finds its blobs missing, and Spark"
                    + " runs their maps again.");

    private static final List<SettingGroup> GROUPS = List.of(
            new StoreSettings(), new ZoneSettings(), new CacheSettings(), new PeerSettings(), new SparkSettings());

    /** By default the cache in memory has this part of an executor's heap, */
    private static final int HEAP_PART = 8;

    /** and at most this. */
    private static final long MOST_MEMORY = 512 << 20;

    private static final String CACHE_DIRECTORY = "blobshuffle-cache";

    /** A name of core's in one of its messages. */
    private static final Pattern OWN_NAME = Pattern.compile("(?<![\\w./-])" + Pattern.quote(Setting.PREFIX));

    @Override
    public String title() {
        return "Spark";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(
                DURABILITY,
                UPLOAD_MIN_AGE,
                ZONE_UPLOAD_AGE,
                ZONE_UPLOAD_WAIT,
                SYNC_WAIT,
                BLOB_BYTES,
                READ_TIMEOUT,
                READ_WINDOW,
                DISK_RESERVE,
                LEASE);
    }

    /**
     * Where an executor runs.
     *
     * @param disks Spark's local directories; the cache on disk has a directory in each
     * @param host under which other executors reach it
     * @param heap its heap, bytes
     */
    public record Executor(List<Path> disks, String host, long heap) {}

    /**
     * The settings in Spark's configuration, as far as a driver has a use for them: it reads no
     * blobs, so it has no cache.
     *
     * @throws InvalidSettingsException fatal: no store is named, a name is unknown, a value is not
     *     of its form, or executors could not use the settings
     */
    public static Settings of(SparkConf conf) {
        Map<String, String> given = given(conf);
        Settings all = parse(given);
        if (all.isGiven(CacheSettings.DISK_DIRS)) {
            throw sparkNames(new InvalidSettingsException("Cannot use setting " + CacheSettings.DISK_DIRS
                    + ": the executors of a host would share the directories. Leave it out; with "
                    + CacheSettings.DISK_BYTES + " the cache is in Spark's local directories."));
        }
        requireTrust(all);
        given.keySet().removeIf(SparkSettings::isOfReaders);
        return parse(given);
    }

    /** Executors would fail one after the other, with the reason in their own logs only. */
    private static void requireTrust(Settings settings) {
        if (settings.value(CacheSettings.ZONE_ENABLED)
                && !settings.isGiven(PeerSettings.SECRET_FILE)
                && !settings.isGiven(PeerSettings.TLS_CERTIFICATE_FILE)) {
            throw sparkNames(new InvalidSettingsException("Cannot use setting " + CacheSettings.ZONE_ENABLED
                    + ": executors would share their caches with anyone. Set " + PeerSettings.SECRET_FILE
                    + " to a file that all executors have."));
        }
    }

    /**
     * Opens an instance. Blocks.
     *
     * @throws InvalidSettingsException fatal: a setting is wrong, which is named as the user does
     */
    public static ShuffleInstance opened(ShuffleInstance.Builder builder) {
        try {
            return builder.open();
        } catch (InvalidSettingsException e) {
            throw sparkNames(e);
        }
    }

    /** The settings of an executor, with the defaults of its caches. */
    public static Settings of(SparkConf conf, Executor executor) {
        Map<String, String> given = given(conf);
        given.putIfAbsent(
                CacheSettings.MEMORY_BYTES.name(), String.valueOf(Math.min(MOST_MEMORY, executor.heap / HEAP_PART)));
        if (given.containsKey(CacheSettings.DISK_BYTES.name())) {
            List<String> directories = executor.disks.stream()
                    .map(disk -> disk.resolve(CACHE_DIRECTORY).toString())
                    .toList();
            given.put(CacheSettings.DISK_DIRS.name(), String.join(",", directories));
        }
        Settings settings = parse(given);
        if (!settings.value(CacheSettings.ZONE_ENABLED) || settings.isGiven(PeerSettings.LISTEN)) {
            return settings;
        }
        given.put(PeerSettings.LISTEN.name(), new Endpoint(executor.host, 0).toString());
        return parse(given);
    }

    private static boolean isOfReaders(String name) {
        return new CacheSettings().names(name).contains(name)
                || new PeerSettings().names(name).contains(name);
    }

    private static Settings parse(Map<String, String> given) {
        try {
            Settings settings = Settings.parse(given, GROUPS);
            String ignored = StoreSettings.uri(settings);
            return settings;
        } catch (InvalidSettingsException e) {
            throw sparkNames(e);
        }
    }

    private static Map<String, String> given(SparkConf conf) {
        Map<String, String> values = new LinkedHashMap<>();
        for (Tuple2<String, String> each : conf.getAllWithPrefix(PREFIX + Setting.PREFIX)) {
            values.put(Setting.PREFIX + each._1(), each._2());
        }
        return values;
    }

    /** The same failure with the names that the user writes. */
    static InvalidSettingsException sparkNames(InvalidSettingsException failure) {
        String message = String.valueOf(failure.getMessage());
        return new InvalidSettingsException(OWN_NAME.matcher(message).replaceAll(PREFIX + Setting.PREFIX), failure);
    }
}
