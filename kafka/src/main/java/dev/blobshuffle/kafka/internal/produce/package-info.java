/**
 * The implementation of {@link dev.blobshuffle.kafka.BlobProducer}: from records to lanes, and from
 * lanes to notifications. Start at {@link dev.blobshuffle.kafka.internal.produce.GeneralSender}.
 */
@NullMarked
package dev.blobshuffle.kafka.internal.produce;

import org.jspecify.annotations.NullMarked;
