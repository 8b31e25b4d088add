/** Kafka Streams front door: repartition topics travel through blobs. */
@NullMarked
package dev.blobshuffle.kstreams;

import org.jspecify.annotations.NullMarked;
