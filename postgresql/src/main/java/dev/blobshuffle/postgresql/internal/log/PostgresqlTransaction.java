package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.failure.AlreadyCommitted;
import dev.blobshuffle.core.internal.log.LogBatch;
import dev.blobshuffle.core.internal.log.LogTransaction;
import dev.blobshuffle.core.internal.log.group.Consumed;
import dev.blobshuffle.postgresql.internal.connection.DatabaseFailures;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transaction on a connection that the caller uses too. Publishing is its last statement, so it
 * holds the writer's row and the partitions' rows only while it commits. Owned by one thread.
 */
final class PostgresqlTransaction implements LogTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresqlTransaction.class);
    private static final String COMMIT = "commit a transaction";

    private final PostgresqlWriter writer;
    private final PostgresqlUri uri;
    private final Connection connection;
    private final LentConnection lent;
    private boolean isEnded;

    PostgresqlTransaction(PostgresqlWriter writer, PostgresqlUri uri, Connection connection) {
        this.writer = writer;
        this.uri = uri;
        this.connection = connection;
        this.lent = new LentConnection(connection);
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
            List<Long> ids = publish(writer.publication(number, batches, consumed));
            end();
            return ids;
        } finally {
            close();
        }
    }

    private List<Long> publish(Publication publication) {
        try {
            Publication.Answer answer = publication.publish(connection, uri.schema());
            return switch (answer.status()) {
                case OK -> answer.ids();
                case DUPLICATE ->
                    throw new AlreadyCommitted("Cannot " + COMMIT + " in " + uri + ": number "
                            + publication.number() + " of writer '" + writer.name()
                            + "' is committed already. Go on with"
                            + " the next transaction.");
                case FENCED, GAP -> throw writer.refused(answer.status(), publication.number());
            };
        } catch (SQLException e) {
            throw LogFailures.of(COMMIT, uri, e);
        }
    }

    /** Only a lost answer leaves the outcome open: a server that refuses has rolled back. */
    private void end() {
        try {
            connection.clearWarnings();
            connection.commit();
            if (LogFailures.isUnreplicated(connection.getWarnings())) {
                throw writer.unreplicated();
            }
        } catch (SQLException e) {
            throw DatabaseFailures.isDisconnected(e)
                            || DatabaseFailures.state(e).isEmpty()
                    ? writer.unknown(e)
                    : LogFailures.of(COMMIT, uri, e);
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
        } catch (SQLException e) {
            // The server rolls back by itself when the connection ends.
            LOG.debug("The connection of a transaction is broken.", e);
        }
    }
}
