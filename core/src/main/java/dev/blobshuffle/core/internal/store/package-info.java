/**
 * The stores of core, files and memory, what all object stores share, and decorators of any store.
 * Start at {@link dev.blobshuffle.core.internal.store.BlobStores}.
 */
@NullMarked
package dev.blobshuffle.core.internal.store;

import org.jspecify.annotations.NullMarked;
