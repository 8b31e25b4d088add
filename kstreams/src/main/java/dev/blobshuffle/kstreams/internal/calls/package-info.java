/**
 * Concurrent calls of a slow function: order, concurrency, retries and time limits. Start at
 * {@link dev.blobshuffle.kstreams.internal.calls.ParallelCalls}.
 */
@NullMarked
package dev.blobshuffle.kstreams.internal.calls;

import org.jspecify.annotations.NullMarked;
