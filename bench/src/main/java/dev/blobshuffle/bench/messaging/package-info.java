/**
 * Messaging beside Kafka, with workloads in the format of the OpenMessaging Benchmark. Both systems
 * carry the same records, and their servers and clients are processes.
 */
@NullMarked
package dev.blobshuffle.bench.messaging;

import org.jspecify.annotations.NullMarked;
