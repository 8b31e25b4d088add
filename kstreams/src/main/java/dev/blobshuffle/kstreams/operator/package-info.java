/**
 * The explicit operators for Kafka Streams: single shuffles through blobs, visible in the topology.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.kstreams.operator;

import org.jspecify.annotations.NullMarked;
