package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import java.time.Duration;

/**
 * The options of a hub and of its contributors.
 *
 * @param partBytes a blob of this many bytes or more is stored by itself
 * @param blobBytes the size at which a hub stores a combined blob
 * @param bufferBytes the most bytes of parts that a hub holds
 * @param window the longest time from the first part of a combined blob until it is stored
 * @param live a writer counts as live for this long after its last part: a hub that has a part of
 *     each live writer waits no longer
 * @param slow the least time after which a contributor stores a part by itself although the hub is
 *     alive
 */
public record CombineOptions(
        long partBytes, long blobBytes, long bufferBytes, Duration window, Duration live, Duration slow) {
    private static final Duration WINDOW = Duration.ofMillis(50);
    private static final Duration LIVE = Duration.ofSeconds(2);
    private static final Duration SLOW = Duration.ofSeconds(1);

    /** Checks the numbers. */
    public CombineOptions {
        if (partBytes < 1 || blobBytes < 1 || bufferBytes < partBytes) {
            throw new InvalidSettingsException("Cannot combine: parts below " + partBytes + " bytes, blobs of "
                    + blobBytes + ", a buffer of " + bufferBytes + ". Give the buffer room for one part at least.");
        }
    }

    /** The options that the settings define. */
    public static CombineOptions of(Settings settings) {
        long blob = settings.value(WriteSettings.BATCH_MAX_BYTES).bytes();
        return of(
                Math.min(settings.value(CombineSettings.MAX_PART).bytes(), blob),
                blob,
                settings.value(CombineSettings.BUFFER_BYTES).bytes());
    }

    /** Options with the usual durations. */
    public static CombineOptions of(long partBytes, long blobBytes, long bufferBytes) {
        return new CombineOptions(partBytes, blobBytes, bufferBytes, WINDOW, LIVE, SLOW);
    }
}
