package dev.blobshuffle.kafka.internal.settings;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.engine.EngineSettings;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The settings of the Kafka front doors: which topics shuffle through blobs, and with which
 * clients.
 */
public final class KafkaSettings implements SettingGroup {
    /** Topics that shuffle through blobs. */
    public static final Setting<List<String>> TOPICS_INCLUDE = Setting.patterns(
            "topics.include",
            "internal repartition topics",
            "Patterns for the full names of topics that shuffle through blobs. Changelogs and compacted "
                    + "topics never do.");

    /** Topics that stay native. */
    public static final Setting<List<String>> TOPICS_EXCLUDE = Setting.patterns(
            "topics.exclude",
            "none",
            "Patterns for the full names of topics that stay native even if `topics.include` matches " + "them.");

    /** Whether to write blobs. */
    public static final Setting<Boolean> WRITE_ENABLED = Setting.flag(
            "write.enabled",
            true,
            "Whether to write blobs. If false, an instance writes plain records and still reads both "
                    + "kinds: the first step of rolling in and of rolling out.");

    /** The topic in which members publish themselves. */
    public static final Setting<Optional<String>> MEMBERSHIP_TOPIC = Setting.text(
            "membership.topic",
            "under Kafka Streams `<application.id>-blobshuffle-members` if the zone is known or "
                    + "`cache.zone.enabled` is set, else none",
            "Compacted Kafka topic in which instances announce their zone, their endpoint and the "
                    + "partitions that they read. Created if it does not exist.");

    /** The user's own supplier of Kafka clients. */
    public static final Setting<Optional<String>> CLIENT_SUPPLIER = Setting.text(
            "client.supplier",
            "Kafka Streams' own",
            "Class of the `KafkaClientSupplier` whose clients BlobShuffle wraps, for applications that "
                    + "already use one.");

    @Override
    public String title() {
        return "Kafka topics";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(TOPICS_INCLUDE, TOPICS_EXCLUDE, WRITE_ENABLED, MEMBERSHIP_TOPIC, CLIENT_SUPPLIER);
    }

    /** All settings that a Kafka front door accepts, in the order of the reference. */
    public static final List<SettingGroup> GROUPS = Stream.concat(
                    EngineSettings.GROUPS.stream(), Stream.of(new KafkaSettings(), new KeyParallelSettings()))
            .toList();

    /**
     * Parses the settings of a Kafka client or application.
     *
     * @throws InvalidSettingsException fatal: a key under the prefix is unknown, a value is
     *     malformed, or values contradict each other
     */
    public static Settings parse(Map<String, ?> configuration) {
        return Settings.parse(configuration, GROUPS);
    }

    /**
     * Checks that no producer delivers a notification after a sweep has deleted its blob.
     *
     * @param holds the longest time that the producer holds a notification before it delivers or
     *     fails it
     * @param reason the producer's setting behind that time, with its value
     * @throws InvalidSettingsException fatal: the sweep interval is too short for it
     */
    public static void requireNotifiedInTime(Settings settings, Duration holds, String reason) {
        Duration least =
                settings.value(WriteSettings.DELIVERY_TIMEOUT).plus(holds).plus(RetentionSettings.LEAST_GRACE);
        Duration grace = RetentionSettings.grace(settings);
        if (settings.value(WRITE_ENABLED)
                && settings.value(RetentionSettings.SWEEP_INTERVAL).isPresent()
                && least.compareTo(grace) > 0) {
            throw new InvalidSettingsException("Cannot use the producer's " + reason + " with "
                    + RetentionSettings.SWEEP_INTERVAL
                    + "=" + grace.toMillis()
                    + ": a sweep could delete a blob before the producer has delivered its notification. Give the"
                    + " producer's timeout, " + WriteSettings.DELIVERY_TIMEOUT + " and "
                    + RetentionSettings.LEAST_GRACE.toMinutes() + " minutes together at most the interval, which is "
                    + least.toMillis() + " ms now.");
        }
    }
}
