package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.settings.Settings;
import java.time.Duration;
import java.util.Optional;

/**
 * How long blobs are kept.
 *
 * @param timeToLive age at which blobs are deleted without reading the logs; empty: the logs decide
 * @param floor no younger blob is deleted, whatever the logs or the time to live say; zero: no
 *     floor
 */
public record BlobLifetime(Optional<Duration> timeToLive, Duration floor) {
    /** Checks that the floor is not negative. */
    public BlobLifetime {
        if (floor.isNegative()) {
            throw new IllegalArgumentException("Cannot keep blobs for " + floor + ". Give zero or more.");
        }
    }

    /** As the settings say. */
    public static BlobLifetime of(Settings settings) {
        return new BlobLifetime(settings.value(RetentionSettings.RETENTION), settings.value(RetentionSettings.FLOOR));
    }
}
