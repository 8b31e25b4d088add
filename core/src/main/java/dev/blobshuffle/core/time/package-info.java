/** Clocks, timers, threads, waiting and random numbers: everything that a simulation replaces. */
@NullMarked
package dev.blobshuffle.core.time;

import org.jspecify.annotations.NullMarked;
