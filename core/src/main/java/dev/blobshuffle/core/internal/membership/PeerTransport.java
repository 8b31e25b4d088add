package dev.blobshuffle.core.internal.membership;

/** How bytes travel between members. */
public enum PeerTransport {
    /** Over TLS, but for members on loopback addresses. */
    AUTO,
    /** Over TLS, always. */
    TLS,
    /** In the clear, with an HMAC-SHA256 of every answer. */
    MAC
}
