/**
 * Many records of one partition are processed at once by a slow function, in order per key, and no
 * commit comes before their results.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.kstreams.keyparallel;

import org.jspecify.annotations.NullMarked;
