/**
 * Answers other members. Start at {@link dev.blobshuffle.peer.internal.server.PeerServer}.
 */
@NullMarked
package dev.blobshuffle.peer.internal.server;

import org.jspecify.annotations.NullMarked;
