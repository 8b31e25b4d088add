/**
 * What stands behind {@link dev.blobshuffle.kafka.BlobProducer}: records to lanes, and
 * notifications to Kafka. Start at {@link dev.blobshuffle.kafka.internal.produce.GeneralSender}.
 */
@NullMarked
package dev.blobshuffle.kafka.internal.produce;

import org.jspecify.annotations.NullMarked;
