/**
 * Decides which application may delete from a store: claims of the applications of a Kafka cluster.
 */
@NullMarked
package dev.blobshuffle.kafka.internal.claim;

import org.jspecify.annotations.NullMarked;
