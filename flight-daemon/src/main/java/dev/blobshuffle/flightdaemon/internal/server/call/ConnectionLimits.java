package dev.blobshuffle.flightdaemon.internal.server.call;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.time.Duration;

/**
 * Limits of the Flight connections.
 *
 * @param connections most concurrent connections
 * @param ofAddress most concurrent connections from one address
 * @param request time for a connection's first call with a valid token, including the TLS handshake
 * @param idle time without a call, after which a connection ends
 */
public record ConnectionLimits(int connections, int ofAddress, Duration request, Duration idle) {
    /** Defaults for some thousand clients on hundreds of hosts. */
    public static final ConnectionLimits DEFAULT =
            new ConnectionLimits(2048, 512, Duration.ofSeconds(10), Duration.ofMinutes(5));

    /** Checks that the limits let clients connect. */
    public ConnectionLimits {
        if (connections < 2 || ofAddress < 1 || ofAddress > connections) {
            throw new InvalidSettingsException("Cannot serve " + connections + " connections, " + ofAddress
                    + " of one address: legal are 2 or more, and at least one and at most all of them of one address."
                    + " Correct --connections or --connections-per-address.");
        }
        if (request.toMillis() < 1 || idle.toMillis() < 1) {
            throw new InvalidSettingsException("Cannot serve with " + request + " for a first call and " + idle
                    + " without a call: both must be positive. Correct --first-call-time or --idle-time.");
        }
    }
}
