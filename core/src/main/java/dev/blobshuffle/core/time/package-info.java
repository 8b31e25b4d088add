/**
 * Clocks, timers, threads, waiting and random numbers: everything that a simulation replaces.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.core.time;

import org.jspecify.annotations.NullMarked;
