package dev.blobshuffle.kstreams;

import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.retention.BlobLifetime;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import dev.blobshuffle.core.internal.retention.SweepSource;
import dev.blobshuffle.core.internal.retention.SweepTiming;
import dev.blobshuffle.core.internal.retention.Sweeper;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Optional;

/**
 * An application's own sweeper without a floor, and with intervals that settings do not allow. For
 * tests that send notifications at once. Stateless.
 */
final class QuickSweeper {
    /** Longer than a test's writer ever pauses between a blob and its notification. */
    private static final Duration INTERVAL = Duration.ofSeconds(6);

    private static final Duration LOOK = Duration.ofMillis(100);

    private QuickSweeper() {}

    /** As {@link Sweeper#of}. */
    static Sweeper of(Settings settings, SweepSource source, ShuffleMetrics metrics, Time time) {
        return every(INTERVAL, settings, source, metrics, time);
    }

    /** As {@link #of}, with a given interval. */
    static Sweeper every(Duration interval, Settings settings, SweepSource source, ShuffleMetrics metrics, Time time) {
        BlobLifetime lifetime = BlobLifetime.of(settings.value(RetentionSettings.RETENTION), Duration.ZERO);
        return Sweeper.of(Optional.of(new SweepTiming(interval, LOOK)), lifetime, settings, source, metrics, time);
    }
}
