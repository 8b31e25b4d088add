/**
 * Kafka brokers for tests, the demo and benchmarks: KRaft nodes inside this JVM
 * ({@link dev.blobshuffle.kafkaembedded.EmbeddedKafka}), or one operating-system process per node
 * ({@link dev.blobshuffle.kafkaembedded.KafkaProcess}). Never a dependency of a user's application.
 */
@NullMarked
package dev.blobshuffle.kafkaembedded;

import org.jspecify.annotations.NullMarked;
