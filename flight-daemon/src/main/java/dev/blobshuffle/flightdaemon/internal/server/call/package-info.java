/**
 * Who calls: tokens, places for connections and calls, fair shares, and what a caller is told of a
 * failure.
 */
@NullMarked
package dev.blobshuffle.flightdaemon.internal.server.call;

import org.jspecify.annotations.NullMarked;
