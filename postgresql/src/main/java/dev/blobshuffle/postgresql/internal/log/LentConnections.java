package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.postgresql.internal.connection.ConnectionPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The connections on which callers run their own transactions. They have a separate pool, so a
 * caller that sleeps in its transaction does not take a connection from the log's other calls.
 * Thread-safe; owned by the log.
 */
final class LentConnections implements AutoCloseable {
    private static final String BEGIN = "begin a transaction";

    /** Number of threads for {@code begin}. Few callers wait for it at the same time. */
    private static final int THREADS = 4;

    private final ConnectionPool pool;
    private final Time.Workers workers;
    private volatile boolean isClosed;

    LentConnections(ConnectionPool pool, Time time) {
        this.pool = pool;
        this.workers = time.workers("blobshuffle-log-transactions", THREADS);
    }

    CompletionStage<LogTransaction> begin(PostgresqlWriter writer) {
        CompletableFuture<LogTransaction> begun = new CompletableFuture<>();
        try {
            workers.execute(() -> begin(writer, begun));
        } catch (ClosedException e) {
            begun.completeExceptionally(e);
        }
        return begun;
    }

    private void begin(PostgresqlWriter writer, CompletableFuture<LogTransaction> begun) {
        try {
            Connection connection = pool.borrow(BEGIN);
            try {
                connection.setAutoCommit(false);
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
            PostgresqlTransaction transaction = new PostgresqlTransaction(writer, pool.uri(), connection);
            if (!begun.complete(transaction) || isClosed) {
                transaction.close();
            }
        } catch (SQLException e) {
            begun.completeExceptionally(LogFailures.of(BEGIN, pool.uri(), e));
        } catch (BlobShuffleException e) {
            begun.completeExceptionally(e);
        }
    }

    /** Breaks open transactions, which then roll back. Idempotent. */
    @Override
    public void close() {
        isClosed = true;
        workers.close();
        pool.close();
    }
}
