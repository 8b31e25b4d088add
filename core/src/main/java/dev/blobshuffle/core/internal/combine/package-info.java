/**
 * Combining: a hub stores the small blobs of several instances of its zone as one ({@code
 * docs/guides/combining.md}). Knows no network; time and chance come from {@code Time}.
 */
@NullMarked
package dev.blobshuffle.core.internal.combine;

import org.jspecify.annotations.NullMarked;
