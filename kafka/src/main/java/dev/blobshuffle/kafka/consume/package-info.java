/**
 * What stands behind {@link dev.blobshuffle.kafka.BlobConsumer}: polls, positions, commits and
 * rebalances. Start at {@link dev.blobshuffle.kafka.consume.PollLoop}.
 */
@NullMarked
package dev.blobshuffle.kafka.consume;

import org.jspecify.annotations.NullMarked;
