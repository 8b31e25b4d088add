/**
 * Reads of stored blobs of Arrow or opaque content, by ranges: {@link
 * dev.blobshuffle.core.internal.container.Footers} opens a {@link
 * dev.blobshuffle.core.internal.container.StoredContainer}.
 */
@NullMarked
package dev.blobshuffle.core.internal.container;

import org.jspecify.annotations.NullMarked;
