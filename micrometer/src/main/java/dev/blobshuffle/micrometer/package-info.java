/**
 * Metrics for Micrometer: {@link dev.blobshuffle.micrometer.BlobShuffleMetrics}.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.micrometer;

import org.jspecify.annotations.NullMarked;
