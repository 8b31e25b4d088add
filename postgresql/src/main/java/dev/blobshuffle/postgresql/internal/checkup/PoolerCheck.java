package dev.blobshuffle.postgresql.internal.checkup;

import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.postgresql.internal.connection.Pooler;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.PGConnection;

/**
 * Checks whether a pooler is in front of the server, and whether the setting matches. A pooler
 * invents the process number that it sends to a client. If it changes sessions between
 * transactions, a second client can get the session of the first.
 */
final class PoolerCheck implements Check {
    private static final String SUBJECT = "pooler";

    private final PostgresqlUri uri;
    private final SecondConnection second;

    PoolerCheck(PostgresqlUri uri, SecondConnection second) {
        this.uri = uri;
        this.second = second;
    }

    /** Opens another connection in the same way. */
    interface SecondConnection {
        Connection open() throws SQLException;
    }

    @Override
    public String subject() {
        return SUBJECT;
    }

    @Override
    public List<StoreFinding> run(Connection database) throws SQLException {
        boolean isPooled = database.unwrap(PGConnection.class).getBackendPID() != process(database);
        boolean isDeclared = uri.pooler() == Pooler.TRANSACTION;
        if (!isPooled) {
            return List.of(
                    isDeclared
                            ? StoreFinding.hint(
                                    SUBJECT,
                                    "none is in front of the server, and the log is polled as if there were one",
                                    "Remove pooler=transaction from the URI: the server then announces new batches.")
                            : StoreFinding.ok(SUBJECT, "none is in front of the server"));
        }
        boolean changes = changesSessions(database);
        if (changes && !isDeclared) {
            return List.of(StoreFinding.error(
                    SUBJECT,
                    "one is in front of the server that changes sessions between transactions",
                    "Add pooler=transaction to the URI, or connect to the server itself."));
        }
        if (!changes && isDeclared) {
            return List.of(StoreFinding.hint(
                    SUBJECT,
                    "one is in front of the server, and it seems to keep sessions",
                    "If its mode is session, remove pooler=transaction from the URI: the server then announces new"
                            + " batches."));
        }
        return List.of(StoreFinding.ok(
                SUBJECT, changes ? "one is in front of the server, as the URI says" : "one that keeps sessions"));
    }

    private boolean changesSessions(Connection one) throws SQLException {
        int before = process(one);
        try (Connection other = second.open()) {
            other.setAutoCommit(false);
            int others = process(other);
            boolean isMoved = others == before || process(one) != before;
            other.rollback();
            return isMoved;
        }
    }

    private static int process(Connection database) throws SQLException {
        return Row.first(database, "select pg_catalog.pg_backend_pid()", row -> row.getInt(1))
                .orElseThrow();
    }
}
