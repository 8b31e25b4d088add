package dev.blobshuffle.postgresql.internal.connection;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The kind of pooler between the client and the database. */
public enum Pooler {
    /** None, or a pooler that keeps a server session for each connection. */
    NONE,
    /**
     * A pooler such as PgBouncer that changes the server session between transactions. So no state
     * may outlive a transaction: no prepared statement, no LISTEN, no session setting.
     */
    TRANSACTION;

    /** Finds a kind by its name. */
    static Optional<Pooler> named(String name) {
        return Stream.of(values())
                .filter(pooler -> pooler.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst();
    }
}
