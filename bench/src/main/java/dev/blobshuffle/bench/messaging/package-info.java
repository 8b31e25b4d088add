/**
 * Messaging beside Kafka: workloads in the format of the OpenMessaging Benchmark, the same records
 * through both, each with servers and clients as processes.
 */
@NullMarked
package dev.blobshuffle.bench.messaging;

import org.jspecify.annotations.NullMarked;
