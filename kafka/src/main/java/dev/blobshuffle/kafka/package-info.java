/**
 * The front door for Kafka clients: producer, consumer and admin whose records travel through
 * blobs.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.kafka;

import org.jspecify.annotations.NullMarked;
