/**
 * Virtual offsets, which name a record inside a segment, and the notifications that operators have
 * given up. Start at {@link dev.blobshuffle.kafka.internal.position.VirtualOffset}.
 */
@NullMarked
package dev.blobshuffle.kafka.internal.position;

import org.jspecify.annotations.NullMarked;
