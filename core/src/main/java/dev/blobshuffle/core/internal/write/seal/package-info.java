/**
 * Seal: when the records that lanes have appended become a batch, and how large batches are. Start
 * at {@link dev.blobshuffle.core.internal.write.seal.OpenBatch}.
 */
@NullMarked
package dev.blobshuffle.core.internal.write.seal;

import org.jspecify.annotations.NullMarked;
