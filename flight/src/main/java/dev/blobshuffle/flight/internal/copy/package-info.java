/** Copies committed shuffles to a store in the background. */
@NullMarked
package dev.blobshuffle.flight.internal.copy;

import org.jspecify.annotations.NullMarked;
