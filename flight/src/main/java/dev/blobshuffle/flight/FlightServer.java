package dev.blobshuffle.flight;

import dev.blobshuffle.core.failure.InvalidSettings;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a flight daemon is, and how to talk to it.
 *
 * @param host of the daemon
 * @param port of the daemon
 * @param trust PEM file of the authority of its certificate; empty: those that the JDK trusts
 * @param token what the daemon knows the caller by; empty: none, and no TLS either
 */
public record FlightServer(String host, int port, Optional<Path> trust, Optional<String> token) {
    /** Checks the port, and that only a token goes with a trusted authority. */
    public FlightServer {
        if (port < 1 || port > 65_535) {
            throw new InvalidSettings("Cannot connect to port " + port + ": legal are 1 to 65535.");
        }
        if (token.isEmpty() && trust.isPresent()) {
            throw new InvalidSettings("Cannot connect with TLS and without a token: the daemon takes no such calls."
                    + " Give the token.");
        }
    }

    /**
     * A daemon that needs TLS and a token, its certificate signed by an authority.
     *
     * @param trust PEM file of the authority
     */
    public static FlightServer secure(String host, int port, Path trust, String token) {
        return new FlightServer(host, port, Optional.of(trust), Optional.of(token));
    }

    /** A daemon on this machine that was started without TLS and tokens. */
    public static FlightServer insecureLoopback(int port) {
        return new FlightServer("127.0.0.1", port, Optional.empty(), Optional.empty());
    }

    /** Without the token. */
    @Override
    public String toString() {
        return host + ":" + port;
    }
}
