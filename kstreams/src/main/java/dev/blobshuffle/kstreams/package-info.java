/**
 * The front door for Kafka Streams: repartition topics shuffle through blobs.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.kstreams;

import org.jspecify.annotations.NullMarked;
