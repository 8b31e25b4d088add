/**
 * Slow functions that process many records of one partition concurrently, in order per key. No
 * commit completes before their results are sent.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.kstreams.keyparallel;

import org.jspecify.annotations.NullMarked;
