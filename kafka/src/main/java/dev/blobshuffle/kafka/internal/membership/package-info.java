/**
 * The members of a shuffle over Kafka, published in one compacted topic:
 * {@link dev.blobshuffle.kafka.internal.membership.KafkaMembership}.
 */
@NullMarked
package dev.blobshuffle.kafka.internal.membership;

import org.jspecify.annotations.NullMarked;
