package dev.blobshuffle.flight;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The address of a flight daemon, and the credentials for it.
 *
 * @param host of the daemon
 * @param port of the daemon
 * @param trust PEM file of the authority that signed the daemon's certificate; empty: the
 *     authorities that the JDK trusts
 * @param token bearer token that identifies the caller; empty: no token and no TLS
 */
public record FlightServer(String host, int port, Optional<Path> trust, Optional<String> token) {
    /** Checks the port, and that a trusted authority comes with a token. */
    public FlightServer {
        if (port < 1 || port > 65_535) {
            throw new InvalidSettingsException("Cannot connect to port " + port + ": legal are 1 to 65535.");
        }
        if (token.isEmpty() && trust.isPresent()) {
            throw new InvalidSettingsException(
                    "Cannot connect with TLS and without a token: the daemon takes no such calls."
                            + " Give the token.");
        }
    }

    /**
     * A daemon that requires TLS and a token. An authority has signed its certificate.
     *
     * @param trust PEM file of the authority
     */
    public static FlightServer secure(String host, int port, Path trust, String token) {
        return new FlightServer(host, port, Optional.of(trust), Optional.of(token));
    }

    /** A daemon on this machine that runs without TLS and tokens. */
    public static FlightServer insecureLoopback(int port) {
        return new FlightServer("127.0.0.1", port, Optional.empty(), Optional.empty());
    }

    /** Omits the token. */
    @Override
    public String toString() {
        return host + ":" + port;
    }
}
