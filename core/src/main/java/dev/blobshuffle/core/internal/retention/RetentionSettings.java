package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.core.internal.settings.Settings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The settings for how long blobs are kept, and what deletes them. */
public final class RetentionSettings implements SettingGroup {
    /**
     * The shortest grace period of a sweep, and the part of every grace period that is a reserve.
     * It is longer than brokers keep an idle connection ({@code connections.max.idle.ms}, 10
     * minutes). A producer that was paused for so long must connect again before it can deliver,
     * and by then its held records have expired.
     */
    public static final Duration LEAST_GRACE = Duration.ofMinutes(15);

    /**
     * The shortest grace period of {@code blobshuffle gc} while writers run. The command does not
     * know their sweep interval, so writers with a longer one respect this bound too.
     */
    public static final Duration COMMAND_GRACE = Duration.ofHours(1);

    /** The retention of blobs. */
    public static final Setting<Optional<Duration>> RETENTION = Setting.millisOrWord(
            "retention",
            "needed",
            LEAST_GRACE,
            Optional.empty(),
            "How long blobs are kept: as long as Kafka holds a notification for them (`needed`), or for "
                    + "a fixed time after they were stored, by the clock of the store. After a fixed time blobs "
                    + "are deleted even if readers still need them.");

    /** The interval of an application's sweeps. */
    public static final Setting<Optional<Duration>> SWEEP_INTERVAL = Setting.millisOrWord(
            "sweep.interval.ms",
            "0",
            LEAST_GRACE,
            Optional.of(COMMAND_GRACE),
            "How long a stored blob may exist without its notification, which the instance promises to "
                    + "the others of its owner, and how far the steps of a sweep are apart. 0 leaves "
                    + "deletion to `blobshuffle gc`.");

    /** The age below which nothing is deleted. */
    public static final Setting<Duration> FLOOR = Setting.millis(
            "retention.floor.ms",
            0,
            Duration.ofHours(6).toMillis(),
            "Age below which no blob is deleted, by the clock of the store: neither one without a "
                    + "notification nor one older than `retention`. It is the time in which you can notice "
                    + "a mistake and stop deletion. `blobshuffle plan` shows what it costs. 0 is no floor.");

    @Override
    public String title() {
        return "Retention";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(RETENTION, FLOOR, SWEEP_INTERVAL);
    }

    /**
     * The longest time that a stored blob may lack its notification before the application's own
     * sweep deletes it: {@code sweep.interval.ms}, or {@link #COMMAND_GRACE} if the application
     * does not sweep.
     */
    public static Duration grace(Settings settings) {
        return settings.value(SWEEP_INTERVAL).orElse(COMMAND_GRACE);
    }

    /**
     * The promise of an instance with these settings to the other members of its owner.
     *
     * @param delivery the longest time from a batch's seal until its blob is stored
     */
    public static Promise promise(Settings settings, Duration delivery) {
        return new Promise(notifyWithin(settings, delivery), settings.value(RETENTION));
    }

    /**
     * The longest time from a batch's seal until its notification may appear in the log: the
     * shorter of the grace period and that of {@code blobshuffle gc}, without the reserve. Only a
     * longer {@code delivery.timeout.ms} increases it.
     *
     * @param delivery the longest time from a batch's seal until its blob is stored
     */
    public static Duration notifyWithin(Settings settings, Duration delivery) {
        Duration grace = grace(settings).compareTo(COMMAND_GRACE) < 0 ? grace(settings) : COMMAND_GRACE;
        Duration rest = grace.minus(LEAST_GRACE);
        return rest.compareTo(delivery) > 0 ? rest : delivery;
    }
}
