/** Slow functions: plain Kafka Streams compared with calls in parallel. */
@NullMarked
package dev.blobshuffle.bench.calls;

import org.jspecify.annotations.NullMarked;
