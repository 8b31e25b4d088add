/**
 * Reads and manages the shuffles of a flight daemon: {@code docs/guides/flight.md}. Public API:
 * {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.flight;

import org.jspecify.annotations.NullMarked;
