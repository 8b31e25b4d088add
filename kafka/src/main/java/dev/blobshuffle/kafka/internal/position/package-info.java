/**
 * Positions between two records: offsets that name a record of a segment, and what operators have
 * given up. Start at {@link dev.blobshuffle.kafka.internal.position.VirtualOffset}.
 */
@NullMarked
package dev.blobshuffle.kafka.internal.position;

import org.jspecify.annotations.NullMarked;
