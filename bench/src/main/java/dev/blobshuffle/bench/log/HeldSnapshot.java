package dev.blobshuffle.bench.log;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A session that holds a snapshot, as a dump does. The database cannot remove rows deleted since.
 */
final class HeldSnapshot implements AutoCloseable {
    private final Optional<Connection> connection;

    private HeldSnapshot(Optional<Connection> connection) {
        this.connection = connection;
    }

    /** Takes a snapshot if the plan asks for one. */
    static HeldSnapshot of(LogPlan.Snapshot snapshot, Database database) throws SQLException {
        if (snapshot == LogPlan.Snapshot.NONE) {
            return new HeldSnapshot(Optional.empty());
        }
        Connection connection = database.connect();
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
        long ignored = Database.number(connection, "select count(*) from pg_class");
        return new HeldSnapshot(Optional.of(connection));
    }

    @Override
    public void close() throws SQLException {
        if (connection.isPresent()) {
            connection.get().close();
        }
    }
}
