/**
 * Asks other members. Start at {@link dev.blobshuffle.peer.internal.client.HttpPeerClient}.
 */
@NullMarked
package dev.blobshuffle.peer.internal.client;

import org.jspecify.annotations.NullMarked;
