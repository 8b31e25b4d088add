/**
 * Who takes part in a shuffle over Kafka, told in one compacted topic:
 * {@link dev.blobshuffle.kafka.membership.KafkaMembership}.
 */
@NullMarked
package dev.blobshuffle.kafka.membership;

import org.jspecify.annotations.NullMarked;
