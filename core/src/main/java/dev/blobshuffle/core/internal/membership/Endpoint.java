package dev.blobshuffle.core.internal.membership;

import dev.blobshuffle.core.failure.InvalidSettingsException;

/**
 * The address at which a member answers others.
 *
 * @param host name or address, without the brackets of an IPv6 address
 * @param port the port, 0 to 65535; 0: any free port
 */
public record Endpoint(String host, int port) {
    /** Checks host and port. */
    public Endpoint {
        if (host.isBlank() || port < 0 || port > 65_535) {
            throw new IllegalArgumentException("Cannot form an endpoint: '" + host + "' and " + port + ".");
        }
    }

    /**
     * Parses {@code host:port} or {@code [IPv6 address]:port}.
     *
     * @throws InvalidSettingsException fatal: the text is not an endpoint
     */
    public static Endpoint parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon).strip();
        boolean isBracketed = host.startsWith("[") && host.endsWith("]");
        if (isBracketed) {
            host = host.substring(1, host.length() - 1);
        }
        try {
            if (isBracketed || host.indexOf(':') < 0) {
                return new Endpoint(
                        host, Integer.parseInt(text.substring(colon + 1).strip()));
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw new InvalidSettingsException(
                "Cannot use endpoint '" + text + "': it is not of the form host:port. Give for example 10.0.0.7:7400.");
    }

    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
