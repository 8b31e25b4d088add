package dev.blobshuffle.postgresql.internal.log;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Waits until the standbys have everything that a server has committed. A commit whose wait was
 * cancelled, or whose answer was lost, is visible before the standbys have it. A second commit, of
 * anything, waits for both. Stateless.
 */
final class Replication {
    /**
     * Writes a few bytes of WAL in a transaction that waits, and that warns if the wait is
     * cancelled, regardless of the session's settings.
     */
    private static final String BARRIER = "select pg_logical_emit_message(true, 'blobshuffle', ''), case when"
            + " current_setting('synchronous_commit') in ('off', 'local', 'remote_write')"
            + " then set_config('synchronous_commit', 'on', true) end,"
            + " case when current_setting('client_min_messages') = 'error'"
            + " then set_config('client_min_messages', 'warning', true) end";

    private Replication() {}

    /**
     * Waits for the standbys, on a connection in autocommit mode.
     *
     * @return whether the standbys have it; false if the wait was cancelled
     */
    static boolean await(Connection connection) throws SQLException {
        connection.clearWarnings();
        try (Statement statement = connection.createStatement()) {
            statement.execute(BARRIER);
            return !LogFailures.isUnreplicated(statement.getWarnings())
                    && !LogFailures.isUnreplicated(connection.getWarnings());
        }
    }
}
