/** Calls of a client of the daemon. */
@NullMarked
package dev.blobshuffle.flight.internal.client;

import org.jspecify.annotations.NullMarked;
