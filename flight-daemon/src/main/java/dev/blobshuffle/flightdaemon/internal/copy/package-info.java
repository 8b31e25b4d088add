/** Copies committed shuffles to a store in the background. */
@NullMarked
package dev.blobshuffle.flightdaemon.internal.copy;

import org.jspecify.annotations.NullMarked;
