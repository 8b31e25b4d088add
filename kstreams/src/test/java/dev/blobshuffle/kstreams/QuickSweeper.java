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
 * An application's own sweeper without a floor and at intervals that settings do not allow, for
 * tests whose blobs are told of at once. Stateless.
 */
final class QuickSweeper {
    /** Longer than a writer of a test is ever held up between a blob and its notification. */
    private static final Duration INTERVAL = Duration.ofSeconds(6);

    private static final Duration LOOK = Duration.ofMillis(100);

    private QuickSweeper() {}

    /** As {@link Sweeper#of}. */
    static Sweeper of(Settings settings, SweepSource source, ShuffleMetrics metrics, Time time) {
        return every(INTERVAL, settings, source, metrics, time);
    }

    /** The same with an interval of its own. */
    static Sweeper every(Duration interval, Settings settings, SweepSource source, ShuffleMetrics metrics, Time time) {
        BlobLifetime lifetime = BlobLifetime.of(settings.value(RetentionSettings.RETENTION), Duration.ZERO);
        return Sweeper.of(Optional.of(new SweepTiming(interval, LOOK)), lifetime, settings, source, metrics, time);
    }
}
