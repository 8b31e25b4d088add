/** The Kafka client front door: producer, consumer and admin whose records travel through blobs. */
@NullMarked
package dev.blobshuffle.kafka;

import org.jspecify.annotations.NullMarked;
