package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.failure.WaitInterruptedException;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.CommitLogProvider;
import dev.blobshuffle.postgresql.internal.connection.ConnectionPool;
import dev.blobshuffle.postgresql.internal.connection.DatabaseTimeouts;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;

/**
 * Opens {@code postgresql://host/database?schema=…}: {@link PostgresqlUri} lists the parameters.
 */
public final class PostgresqlLogProvider implements CommitLogProvider {
    private final DatabaseTimeouts timeouts;

    /** The provider that {@code java.util.ServiceLoader} finds. */
    public PostgresqlLogProvider() {
        this(DatabaseTimeouts.DEFAULT);
    }

    /** A provider with other timeouts, for tests. */
    public PostgresqlLogProvider(DatabaseTimeouts timeouts) {
        this.timeouts = timeouts;
    }

    @Override
    public String scheme() {
        return "postgresql";
    }

    @Override
    public CommitLog open(String uri, String applicationName, Time time) {
        ConnectionPool pool = ConnectionPool.open(PostgresqlUri.parse(uri), applicationName, timeouts);
        try {
            return new PostgresqlLog(LogInfo.read(pool), pool, time);
        } catch (RuntimeException e) {
            pool.close();
            throw Thread.currentThread().isInterrupted() && e instanceof LogUnavailableException
                    ? new WaitInterruptedException(
                            "Cannot open the log in " + pool.uri() + ": the thread was interrupted. Try again.", e)
                    : e;
        }
    }
}
