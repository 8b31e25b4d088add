/**
 * What the options of key-parallel nodes say about calls: their order, how many there are, retries
 * and outcomes.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.kstreams.keyparallel.calls;

import org.jspecify.annotations.NullMarked;
