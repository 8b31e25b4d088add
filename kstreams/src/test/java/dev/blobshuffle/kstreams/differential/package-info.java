/**
 * The differential test: an application with every kind of shuffle in the Kafka Streams DSL runs
 * natively and through blobs with the same input, and the test compares all results of both runs.
 */
@NullMarked
package dev.blobshuffle.kstreams.differential;

import org.jspecify.annotations.NullMarked;
