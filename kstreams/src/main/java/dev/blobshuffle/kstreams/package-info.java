/**
 * Kafka Streams front door: repartition topics travel through blobs.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.kstreams;

import org.jspecify.annotations.NullMarked;
