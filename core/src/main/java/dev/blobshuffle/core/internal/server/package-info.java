/**
 * Shared parts of servers that are open to any client: bounds on connections
 * ({@link dev.blobshuffle.core.internal.server.ConnectionPlaces}), and a small server for pages of
 * text ({@link dev.blobshuffle.core.internal.server.TextServer}).
 */
@NullMarked
package dev.blobshuffle.core.internal.server;

import org.jspecify.annotations.NullMarked;
