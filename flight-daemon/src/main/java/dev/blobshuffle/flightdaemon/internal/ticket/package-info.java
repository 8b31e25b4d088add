/** Tickets, which clients present to read partitions. */
@NullMarked
package dev.blobshuffle.flightdaemon.internal.ticket;

import org.jspecify.annotations.NullMarked;
