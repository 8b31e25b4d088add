package dev.blobshuffle.postgresql.internal.connection;

import java.util.Locale;

/**
 * A server's address.
 *
 * @param host name or IP address; an IPv6 address without its brackets
 * @param port TCP port
 */
record Server(String host, int port) {
    /** The port of PostgreSQL. */
    static final int DEFAULT_PORT = 5432;

    /** Whether the address reaches only this machine. */
    boolean isLoopback() {
        String name = host.toLowerCase(Locale.ROOT);
        return name.equals("localhost") || name.equals("::1") || name.matches("127(\\.\\d{1,3}){3}");
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
