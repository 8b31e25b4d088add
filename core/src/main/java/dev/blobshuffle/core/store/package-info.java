/**
 * Storage of blobs: the {@link dev.blobshuffle.core.store.BlobStore} contract, its implementations
 * and decorators.
 */
@NullMarked
package dev.blobshuffle.core.store;

import org.jspecify.annotations.NullMarked;
