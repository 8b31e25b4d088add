/**
 * The implementation of {@link dev.blobshuffle.kafka.BlobConsumer}: polls, positions, commits and
 * rebalances. Start at {@link dev.blobshuffle.kafka.internal.consume.PollLoop}.
 */
@NullMarked
package dev.blobshuffle.kafka.internal.consume;

import org.jspecify.annotations.NullMarked;
