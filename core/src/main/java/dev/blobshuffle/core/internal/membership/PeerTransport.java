package dev.blobshuffle.core.internal.membership;

/** The protection of traffic between members. */
public enum PeerTransport {
    /** TLS, except for members on loopback addresses. */
    AUTO,
    /** TLS in all cases. */
    TLS,
    /** Unencrypted, with an HMAC-SHA256 of every answer. */
    MAC
}
