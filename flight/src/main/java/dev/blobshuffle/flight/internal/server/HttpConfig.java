package dev.blobshuffle.flight.internal.server;

import java.time.Duration;

/**
 * How a daemon answers by HTTP.
 *
 * @param host to listen at
 * @param port to listen at; 0 for any free one
 * @param transport what protects the bytes on their way
 * @param limits of connections
 */
public record HttpConfig(String host, int port, Transport transport, Limits limits) {
    /** What protects the bytes on their way. */
    public enum Transport {
        /** TLS if the daemon has it for Flight. */
        AS_FLIGHT,
        /** None: tokens and blobs can be read on the network. The kernel sends files by itself. */
        PLAIN_TEXT
    }

    /**
     * Limits of connections.
     *
     * @param connections most at a time
     * @param ofAddress most at a time from one address
     * @param request time for a connection's first request, with the handshake of TLS
     * @param idle time between an answer and the end of the next request
     * @param stall time in which a client must take a byte of an answer
     */
    public record Limits(int connections, int ofAddress, Duration request, Duration idle, Duration stall) {
        /** For hundreds of reducers. */
        public static final Limits DEFAULT =
                new Limits(2048, 512, Duration.ofSeconds(10), Duration.ofSeconds(90), Duration.ofSeconds(60));
    }
}
