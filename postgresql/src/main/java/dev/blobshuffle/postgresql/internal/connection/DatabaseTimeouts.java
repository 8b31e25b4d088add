package dev.blobshuffle.postgresql.internal.connection;

import java.time.Duration;

/**
 * How long the client waits for the database.
 *
 * @param connect to establish a connection to a server
 * @param borrow for a free connection of the pool, a new one included
 * @param statement for a statement; the server cancels it
 * @param socket for any answer; the client drops the connection. Longer than {@code statement}
 */
public record DatabaseTimeouts(Duration connect, Duration borrow, Duration statement, Duration socket) {
    /** The values for production. */
    public static final DatabaseTimeouts DEFAULT = new DatabaseTimeouts(
            Duration.ofSeconds(3), Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofSeconds(10));

    /** Checks their order. */
    public DatabaseTimeouts {
        if (statement.compareTo(socket) >= 0) {
            throw new IllegalArgumentException("Cannot wait " + socket + " for a socket and " + statement
                    + " for a statement: the server must give up first. Give a longer socket timeout.");
        }
    }

    /** A duration in whole seconds, one or more, as the driver wants it. */
    static int seconds(Duration duration) {
        return Math.max(1, Math.toIntExact((duration.toMillis() + 999) / 1000));
    }
}
