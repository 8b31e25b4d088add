/**
 * Takes {@code DoPut} within a budget of memory. Start at
 * {@link dev.blobshuffle.flightdaemon.internal.server.put.PutStream}.
 */
@NullMarked
package dev.blobshuffle.flightdaemon.internal.server.put;

import org.jspecify.annotations.NullMarked;
