/** Tickets, which clients present to read partitions. */
@NullMarked
package dev.blobshuffle.flight.internal.ticket;

import org.jspecify.annotations.NullMarked;
