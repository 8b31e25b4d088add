package dev.blobshuffle.bench.log;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** A session that holds a snapshot, as a dump does: nothing deleted since can be removed. */
final class HeldSnapshot implements AutoCloseable {
    private final Optional<Connection> connection;

    private HeldSnapshot(Optional<Connection> connection) {
        this.connection = connection;
    }

    /** Takes one if that is asked for. */
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
