/**
 * Serves {@code DoGet} within a budget of memory. Start at
 * {@link dev.blobshuffle.flightdaemon.internal.server.read.PartitionStream}.
 */
@NullMarked
package dev.blobshuffle.flightdaemon.internal.server.read;

import org.jspecify.annotations.NullMarked;
