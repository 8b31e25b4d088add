/**
 * Shared parts of servers that are open to any client: bounds on connections
 * ({@link dev.blobshuffle.core.server.ConnectionPlaces}), and a small server for pages of text
 * ({@link dev.blobshuffle.core.server.TextServer}).
 */
@NullMarked
package dev.blobshuffle.core.server;

import org.jspecify.annotations.NullMarked;
