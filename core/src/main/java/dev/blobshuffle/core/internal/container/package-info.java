/**
 * Blobs of Arrow or opaque content in a store, read by ranges:
 * {@link dev.blobshuffle.core.internal.container.Footers} opens a
 * {@link dev.blobshuffle.core.internal.container.StoredContainer}.
 */
@NullMarked
package dev.blobshuffle.core.internal.container;

import org.jspecify.annotations.NullMarked;
