/**
 * Upload: sealed segments become blobs in the store, or go inline, or as plain records while the
 * store is down. Start at {@link dev.blobshuffle.core.internal.write.upload.Uploads}.
 */
@NullMarked
package dev.blobshuffle.core.internal.write.upload;

import org.jspecify.annotations.NullMarked;
