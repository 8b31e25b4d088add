/** The benchmark of slow functions: Kafka Streams as it is against calls in parallel. */
@NullMarked
package dev.blobshuffle.cli.bench.keyparallel;

import org.jspecify.annotations.NullMarked;
