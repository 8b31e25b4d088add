/**
 * An S3 server in this JVM or in a separate process, for tests and benchmarks: the protocol on real
 * sockets, with injected latency and faults. It does not prove conformance.
 */
@NullMarked
package dev.blobshuffle.s3sim;

import org.jspecify.annotations.NullMarked;
