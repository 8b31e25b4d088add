/**
 * Availability zones.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.core.zone;

import org.jspecify.annotations.NullMarked;
