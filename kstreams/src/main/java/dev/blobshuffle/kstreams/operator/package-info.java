/**
 * The explicit operators for Kafka Streams: one shuffle at a time travels through blobs, seen in
 * the topology.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.kstreams.operator;

import org.jspecify.annotations.NullMarked;
