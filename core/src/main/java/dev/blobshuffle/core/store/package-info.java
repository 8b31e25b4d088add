/**
 * The contract of a store. Implement it to add a store of your own: {@link
 * dev.blobshuffle.core.store.BlobStore} and {@link dev.blobshuffle.core.store.BlobStoreProvider}.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.core.store;

import org.jspecify.annotations.NullMarked;
