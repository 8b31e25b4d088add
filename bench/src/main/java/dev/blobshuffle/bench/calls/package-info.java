/** Slow functions: Kafka Streams as it is against calls in parallel. */
@NullMarked
package dev.blobshuffle.bench.calls;

import org.jspecify.annotations.NullMarked;
