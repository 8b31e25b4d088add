/**
 * The append step: the log of one lane for one partition, in chunks of pooled memory. Start at
 * {@link dev.blobshuffle.core.internal.write.log.PartitionLog}.
 */
@NullMarked
package dev.blobshuffle.core.internal.write.log;

import org.jspecify.annotations.NullMarked;
