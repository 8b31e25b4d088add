package dev.blobshuffle.postgresql.internal.connection;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What stands between the client and the database. */
public enum Pooler {
    /** Nothing, or a pooler that keeps a server's session for a connection. */
    NONE,
    /**
     * A pooler such as PgBouncer that changes the server's session between transactions. So nothing
     * may outlive a transaction: no prepared statement, no LISTEN, no session's setting.
     */
    TRANSACTION;

    /** The kind of a name. */
    static Optional<Pooler> named(String name) {
        return Stream.of(values())
                .filter(pooler -> pooler.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst();
    }
}
