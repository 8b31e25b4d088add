/**
 * Proves that a request or an answer comes from a member: secrets, certificates, signatures. Start
 * at {@link dev.blobshuffle.peer.internal.trust.PeerTrust}.
 */
@NullMarked
package dev.blobshuffle.peer.internal.trust;

import org.jspecify.annotations.NullMarked;
