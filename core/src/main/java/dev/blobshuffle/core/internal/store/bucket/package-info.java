/**
 * The code that all object stores share.
 * Start at {@link dev.blobshuffle.core.internal.store.bucket.BucketBlobStore}.
 */
@NullMarked
package dev.blobshuffle.core.internal.store.bucket;

import org.jspecify.annotations.NullMarked;
