/**
 * The differential test: one application with every kind of shuffle that the Kafka Streams DSL
 * makes, run natively and through blobs over the same input, and a comparer of everything that both
 * runs leave behind.
 */
@NullMarked
package dev.blobshuffle.kstreams.differential;

import org.jspecify.annotations.NullMarked;
