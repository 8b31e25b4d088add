/**
 * Google Cloud Storage as a store: {@code gs://bucket/prefix}.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.gcs;

import org.jspecify.annotations.NullMarked;
