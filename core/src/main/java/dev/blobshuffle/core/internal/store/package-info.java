/**
 * The file store and the memory store, the common code of all object stores, and decorators of any
 * store. Start at {@link dev.blobshuffle.core.internal.store.BlobStores}.
 */
@NullMarked
package dev.blobshuffle.core.internal.store;

import org.jspecify.annotations.NullMarked;
