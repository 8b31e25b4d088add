package dev.blobshuffle.kafkaembedded;

/**
 * A way to a broker for clients that go through a proxy: the broker listens on one port, and names
 * another one to those who come this way.
 *
 * @param port where the broker listens, on the loopback address
 * @param advertisedPort where it says that it listens: the port of the proxy, which is the caller's
 *     to start
 */
public record ClientPath(int port, int advertisedPort) {}
