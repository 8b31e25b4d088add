/**
 * Opens stores by URI, also those of two speeds.
 * Start at {@link dev.blobshuffle.core.internal.store.opening.BlobStores}.
 */
@NullMarked
package dev.blobshuffle.core.internal.store.opening;

import org.jspecify.annotations.NullMarked;
