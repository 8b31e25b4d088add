package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.settings.Settings;
import java.time.Duration;
import java.util.Optional;

/**
 * The rules for how long blobs are kept.
 *
 * @param horizon blobs below it are deleted without reading the logs; empty: the logs decide
 * @param floor the age below which no blob is deleted, regardless of the logs and the horizon;
 *     zero: no floor
 */
public record BlobLifetime(Optional<Horizon> horizon, Duration floor) {
    /** Checks that the floor is not negative. */
    public BlobLifetime {
        if (floor.isNegative()) {
            throw new IllegalArgumentException("Cannot keep blobs for " + floor + ". Give zero or more.");
        }
    }

    /**
     * A lifetime by age.
     *
     * @param timeToLive age at which blobs are deleted without reading the logs; empty: the logs
     *     decide
     */
    public static BlobLifetime of(Optional<Duration> timeToLive, Duration floor) {
        return new BlobLifetime(timeToLive.map(Horizon.Age::new), floor);
    }

    /** The lifetime from the settings. */
    public static BlobLifetime of(Settings settings) {
        return of(settings.value(RetentionSettings.RETENTION), settings.value(RetentionSettings.FLOOR));
    }

    /** The time to live, if the horizon is an age. */
    public Optional<Duration> timeToLive() {
        return horizon.map(limit -> limit instanceof Horizon.Age age ? age.timeToLive() : null);
    }
}
