/** KRaft brokers in or beside the JVM, for tests, demo and benchmarks. */
@NullMarked
package dev.blobshuffle.kafkaembedded;

import org.jspecify.annotations.NullMarked;
