/**
 * The explicit operators for Kafka Streams: one shuffle at a time travels through blobs, seen in
 * the topology.
 */
@NullMarked
package dev.blobshuffle.kstreams.operator;

import org.jspecify.annotations.NullMarked;
