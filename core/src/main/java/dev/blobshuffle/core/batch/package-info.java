/** The write side of the engine: records to blobs and notifications. Start at {@link dev.blobshuffle.core.batch.Batcher}. */
@NullMarked
package dev.blobshuffle.core.batch;

import org.jspecify.annotations.NullMarked;
