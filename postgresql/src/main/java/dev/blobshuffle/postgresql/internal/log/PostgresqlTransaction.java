package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.log.failure.AlreadyCommittedException;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.postgresql.internal.connection.DatabaseFailures;
import dev.blobshuffle.postgresql.internal.connection.Pooler;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transaction on a connection that the caller uses too. Publishing is its last statement, so it
 * locks the writer's row and the partitions' rows only while it commits. Owned by one thread.
 */
final class PostgresqlTransaction implements LogTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresqlTransaction.class);
    private static final String COMMIT = "commit a transaction";

    /** The number of the current transaction, and whether it may write. */
    private static final String LEFT = "select pg_catalog.concat(pg_catalog.pg_current_xact_id_if_assigned(), ' ',"
            + " pg_catalog.current_setting('transaction_read_only'))";

    private static final String READ_ONLY = " on";

    /**
     * Ends with the transaction, and needs no snapshot, so the isolation level can still be set.
     */
    private static final String MARK = "set local blobshuffle.transaction = 'open'";

    private static final String MARKED = "open ";

    /** Whether the mark still exists, and the number of this transaction. */
    private static final String NUMBER = "select pg_catalog.concat(pg_catalog.current_setting("
            + "'blobshuffle.transaction', true), ' ', pg_catalog.pg_current_xact_id())";

    /**
     * Clears what the caller's statements may have left in the session, except plans of functions.
     */
    private static final String RESET = "set session authorization default; reset all; unlisten *; close all;"
            + " discard temp; select pg_catalog.pg_advisory_unlock_all()";

    /** Class of the states of violated constraints. The log itself has no deferred constraint. */
    private static final String CONSTRAINTS = "23";

    /** State of an exception that a trigger raises. */
    private static final String RAISED = "P0001";

    private final PostgresqlWriter writer;
    private final PostgresqlUri uri;
    private final Connection connection;
    private final LentConnection lent;

    /** The database's number of this transaction; null until the caller has run a statement. */
    private @Nullable String number;

    private boolean isMarked;

    /** Whether a statement of the caller has ended the database transaction. */
    private boolean isCut;

    private boolean isEnded;

    PostgresqlTransaction(PostgresqlWriter writer, PostgresqlUri uri, Connection connection) {
        this.writer = writer;
        this.uri = uri;
        this.connection = connection;
        this.lent = new LentConnection(connection, new LentConnection.Execution() {
            @Override
            public void begins() throws SQLException {
                mark();
            }

            @Override
            public void ended() throws SQLException {
                executed();
            }
        });
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        if (!type.equals(Connection.class)) {
            throw new UnsupportedOperationException("Cannot run statements through a " + type.getName()
                    + ": the log is in a database. Ask for a java.sql.Connection.");
        }
        return type.cast(lent.proxy());
    }

    @Override
    public List<Long> commit(long number, List<LogBatch> batches, Optional<Consumed> consumed) {
        if (isEnded) {
            throw new IllegalStateException("Cannot commit a transaction: it has ended. Begin another one.");
        }
        try {
            requireSame();
            List<Long> ids = publish(writer.publication(number, batches, consumed));
            end();
            return ids;
        } finally {
            close();
        }
    }

    /** Sets the mark before the caller's first call, which may run several statements. */
    private void mark() throws SQLException {
        if (!isMarked) {
            isMarked = true;
            try (Statement statement = connection.createStatement()) {
                statement.execute(MARK);
            }
        }
    }

    /**
     * Checks that the transaction still runs. COMMIT or ROLLBACK as SQL ends it, and the next
     * statement begins another one. The number is read after the first statement, because the
     * isolation level is set before it.
     */
    private void executed() throws SQLException {
        TransactionState state = state();
        isCut |= state == TransactionState.IDLE;
        if (number == null && state == TransactionState.OPEN) {
            String found = text(NUMBER);
            isCut |= !found.startsWith(MARKED);
            number = found.substring(found.indexOf(' ') + 1);
        }
    }

    private TransactionState state() throws SQLException {
        return connection.unwrap(BaseConnection.class).getTransactionState();
    }

    /** Fails in another transaction: it would publish without the caller's rows. */
    private void requireSame() {
        try {
            if (state() == TransactionState.FAILED) {
                throw refused("a statement of its caller failed before. Nothing is committed. Close the transaction"
                        + " after a failure, or run what may fail after a savepoint.");
            }
            String known = number;
            String found = known == null ? "" : text(LEFT);
            if (isCut || known != null && !found.startsWith(known + " ")) {
                throw refused("a statement of its caller has ended the transaction of the database. What ran before"
                        + " that statement is committed or rolled back as it said; what came after is rolled back, and"
                        + " nothing is published. Do not run COMMIT, ROLLBACK or PREPARE TRANSACTION on its"
                        + " connection: call commit or close.");
            }
            if (found.endsWith(READ_ONLY)) {
                throw refused("its caller has made it read-only. Nothing is committed. Leave out SET TRANSACTION READ"
                        + " ONLY.");
            }
        } catch (SQLException e) {
            throw LogFailures.of(COMMIT, uri, e);
        }
    }

    private IllegalStateException refused(String reason) {
        return new IllegalStateException("Cannot " + COMMIT + " in " + uri + ": " + reason);
    }

    private String text(String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    private List<Long> publish(Publication publication) {
        try {
            Publication.Answer answer = publication.publish(connection, uri.schema());
            return switch (answer.status()) {
                case OK -> answer.ids();
                case DUPLICATE ->
                    throw new AlreadyCommittedException("Cannot " + COMMIT + " in " + uri + ": number "
                            + publication.number() + " of writer '" + writer.name()
                            + "' is committed already. Go on with"
                            + " the next transaction.");
                case FENCED, GAP -> throw writer.refused(answer.status(), publication.number());
            };
        } catch (SQLException e) {
            throw LogFailures.of(COMMIT, uri, e);
        }
    }

    /**
     * Ends the transaction. Only a lost answer leaves the outcome open: a server that refuses has
     * rolled back.
     */
    private void end() {
        try {
            connection.clearWarnings();
            connection.commit();
            if (LogFailures.isUnreplicated(connection.getWarnings())) {
                throw writer.unreplicated();
            }
        } catch (SQLException e) {
            String state = DatabaseFailures.state(e);
            if (DatabaseFailures.isDisconnected(e) || state.isEmpty()) {
                throw writer.unknown(e);
            }
            if (state.startsWith(CONSTRAINTS) || state.equals(RAISED)) {
                throw new IllegalStateException(
                        "Cannot " + COMMIT + " in " + uri
                                + ": a deferred constraint refuses rows of its caller. Nothing is"
                                + " committed. Publish again with other rows, or not at all; see the cause.",
                        e);
            }
            throw LogFailures.of(COMMIT, uri, e);
        }
    }

    @Override
    public void close() {
        if (isEnded) {
            return;
        }
        isEnded = true;
        lent.end();
        try (connection) {
            connection.rollback();
            reset();
        } catch (SQLException e) {
            // The server rolls back by itself when the connection ends.
            LOG.debug("The connection of a transaction is broken.", e);
        }
    }

    /** Restores the session for its next user. Leaves a pooler's sessions alone. */
    private void reset() throws SQLException {
        if (!lent.isUsed() || uri.pooler() == Pooler.TRANSACTION) {
            return;
        }
        connection.setAutoCommit(true);
        try (Statement statement = connection.createStatement()) {
            statement.execute(RESET);
        } catch (SQLException e) {
            connection.abort(Runnable::run);
            throw e;
        }
    }
}
