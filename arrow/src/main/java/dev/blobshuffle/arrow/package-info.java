/**
 * Shuffles of a flight daemon for applications that use arrow-java: {@code docs/guides/flight.md}.
 * Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.arrow;

import org.jspecify.annotations.NullMarked;
