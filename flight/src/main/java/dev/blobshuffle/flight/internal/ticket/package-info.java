/** What a client presents to read partitions. */
@NullMarked
package dev.blobshuffle.flight.internal.ticket;

import org.jspecify.annotations.NullMarked;
