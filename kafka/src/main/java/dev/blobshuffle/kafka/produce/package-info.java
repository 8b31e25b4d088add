/**
 * What stands behind {@link dev.blobshuffle.kafka.BlobProducer}: records to lanes, and
 * notifications to Kafka. Start at {@link dev.blobshuffle.kafka.produce.GeneralSender}.
 */
@NullMarked
package dev.blobshuffle.kafka.produce;

import org.jspecify.annotations.NullMarked;
