/**
 * The options of key-parallel calls: order, concurrency, retries and outcomes.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.kstreams.keyparallel.calls;

import org.jspecify.annotations.NullMarked;
