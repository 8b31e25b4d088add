package dev.blobshuffle.kafkaembedded;

/**
 * A path to a broker for clients behind a proxy. The broker listens on one port, and advertises
 * another to clients of this path.
 *
 * @param port on which the broker listens, on the loopback address
 * @param advertisedPort port of the proxy, which the caller starts
 */
public record ClientPath(int port, int advertisedPort) {}
