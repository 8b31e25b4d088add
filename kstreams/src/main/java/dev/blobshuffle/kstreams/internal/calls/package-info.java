/**
 * Calls of a slow function, many at a time: their order, how many there are, retries and time
 * limits. Start at {@link dev.blobshuffle.kstreams.internal.calls.ParallelCalls}.
 */
@NullMarked
package dev.blobshuffle.kstreams.internal.calls;

import org.jspecify.annotations.NullMarked;
