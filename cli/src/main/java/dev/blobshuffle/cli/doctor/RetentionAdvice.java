package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.internal.retention.RetentionSettings;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Reports when blobs are deleted, according to an application's settings. Stateless. */
final class RetentionAdvice {
    private static final String SUBJECT = "retention";

    private RetentionAdvice() {}

    /**
     * Reports which blobs are kept, and which process deletes the others.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: a value is malformed, or
     *     a key below {@code blobshuffle.} is unknown
     */
    static Finding of(Map<String, String> configuration) {
        Settings settings = KafkaSettings.parse(configuration);
        Optional<Duration> timeToLive = settings.value(RetentionSettings.RETENTION);
        Optional<Duration> interval = settings.value(RetentionSettings.SWEEP_INTERVAL);
        return Finding.of(Finding.SETTINGS, finding(timeToLive, interval, settings.value(RetentionSettings.FLOOR)));
    }

    private static StoreFinding finding(Optional<Duration> timeToLive, Optional<Duration> interval, Duration floor) {
        String who = interval.map(
                        every -> ", and the application deletes the others every " + every.toMinutes() + " min")
                .orElse(", and the application deletes nothing");
        if (floor.compareTo(RetentionSettings.FLOOR.defaultValue()) < 0) {
            who += ", from an age of " + floor.toMinutes() + " min on";
        }
        if (timeToLive.isPresent()) {
            return StoreFinding.hint(
                    SUBJECT,
                    "blobs stay for " + timeToLive.get().toMinutes() + " min, although readers may still need them"
                            + who,
                    "Leave " + RetentionSettings.RETENTION
                            + " at needed, or make sure that no reader lags that long, and that Kafka does not keep notifications longer.");
        }
        String what = "blobs stay while a notification leads to them" + who;
        return interval.isPresent()
                ? StoreFinding.ok(SUBJECT, what)
                : StoreFinding.hint(
                        SUBJECT,
                        what,
                        "Run `blobshuffle gc --execute` regularly, or remove " + RetentionSettings.SWEEP_INTERVAL
                                + ".");
    }
}
