/**
 * Shares caches between the members of a zone by HTTP/1.1 range requests, described in
 * {@code docs/guides/zones.md}. Start at {@link dev.blobshuffle.peer.internal.HttpPeerNetwork}.
 */
@NullMarked
package dev.blobshuffle.peer.internal;

import org.jspecify.annotations.NullMarked;
