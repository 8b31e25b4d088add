/**
 * The upload step: stores sealed segments in blobs, inlines them, or sends them as plain records
 * while the store is down. Start at {@link dev.blobshuffle.core.internal.write.upload.Uploads}.
 */
@NullMarked
package dev.blobshuffle.core.internal.write.upload;

import org.jspecify.annotations.NullMarked;
