/** Encoding and decoding of Arrow Flight's protobuf messages and of Arrow IPC messages. */
@NullMarked
package dev.blobshuffle.flight.internal.wire;

import org.jspecify.annotations.NullMarked;
