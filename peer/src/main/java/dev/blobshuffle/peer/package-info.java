/**
 * How the members of a zone share their caches: HTTP/1.1 range requests between them, described in {@code docs/guides/zones.md}. Start at
 * {@link dev.blobshuffle.peer.HttpPeerNetwork}.
 */
@NullMarked
package dev.blobshuffle.peer;

import org.jspecify.annotations.NullMarked;
