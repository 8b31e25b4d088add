package dev.blobshuffle.flightdaemon.internal.server.http;

import java.time.Duration;

/**
 * The configuration of a daemon's HTTP server.
 *
 * @param host to listen on
 * @param port to listen on; 0 for any free port
 * @param transport protection of the bytes on the network
 * @param limits of connections
 */
public record HttpConfig(String host, int port, Transport transport, Limits limits) {
    /** Protection of the bytes on the network. */
    public enum Transport {
        /** TLS, if the daemon uses it for Flight. */
        AS_FLIGHT,
        /**
         * None: tokens and blobs are readable on the network. The kernel sends files without
         * copies.
         */
        PLAIN_TEXT
    }

    /**
     * Limits of connections.
     *
     * @param connections most concurrent connections
     * @param ofAddress most concurrent connections from one address
     * @param request time for a connection's first request, including the TLS handshake
     * @param idle time between an answer and the end of the next request
     * @param stall time within which a client must take a byte of an answer
     */
    public record Limits(int connections, int ofAddress, Duration request, Duration idle, Duration stall) {
        /** Defaults for hundreds of reducers. */
        public static final Limits DEFAULT =
                new Limits(2048, 512, Duration.ofSeconds(10), Duration.ofSeconds(90), Duration.ofSeconds(60));
    }
}
