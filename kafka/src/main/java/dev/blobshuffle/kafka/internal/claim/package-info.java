/** Who may delete from a store: claims that a store and a Kafka cluster keep of each other. */
@NullMarked
package dev.blobshuffle.kafka.internal.claim;

import org.jspecify.annotations.NullMarked;
