/**
 * An S3 server in this JVM or in a process of its own, for tests and benchmarks: the protocol on
 * real sockets, with injected latency and faults. It is not the proof of conformance.
 */
@NullMarked
package dev.blobshuffle.s3sim;

import org.jspecify.annotations.NullMarked;
