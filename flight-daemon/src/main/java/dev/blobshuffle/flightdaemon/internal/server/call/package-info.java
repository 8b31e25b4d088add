/**
 * Knows callers by their tokens, limits their connections and calls, shares time and memory fairly
 * among them, and words their failures.
 */
@NullMarked
package dev.blobshuffle.flightdaemon.internal.server.call;

import org.jspecify.annotations.NullMarked;
