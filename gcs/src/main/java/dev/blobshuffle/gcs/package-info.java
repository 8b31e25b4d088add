/** Google Cloud Storage as a store: {@code gs://bucket/prefix}. */
@NullMarked
package dev.blobshuffle.gcs;

import org.jspecify.annotations.NullMarked;
