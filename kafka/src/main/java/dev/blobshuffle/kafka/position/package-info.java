/**
 * Positions between two records: offsets that name a record of a segment, and what operators have
 * given up. Start at {@link dev.blobshuffle.kafka.position.VirtualOffset}.
 */
@NullMarked
package dev.blobshuffle.kafka.position;

import org.jspecify.annotations.NullMarked;
