package dev.blobshuffle.postgresql.internal.connection;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.SQLExceptionOverride;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.log.failure.LogUnavailableException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A bounded pool of connections to the primary. A broken connection leaves the pool. When a server
 * turns out to be read-only, another one has become the primary, so all connections leave the pool.
 * Thread-safe; closed by the log that owns it.
 */
public final class ConnectionPool implements AutoCloseable {
    private static final Duration LIFETIME = Duration.ofMinutes(30);
    private static final Duration IDLE = Duration.ofMinutes(5);
    private static final Duration KEEP_ALIVE = Duration.ofMinutes(1);
    private static final Duration VALIDATION = Duration.ofSeconds(2);

    private static final AtomicInteger POOLS = new AtomicInteger();

    private final PostgresqlUri uri;
    private final PrimaryDataSource source;
    private final DatabaseTimeouts timeouts;
    private final HikariDataSource pool;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private ConnectionPool(PostgresqlUri uri, PrimaryDataSource source, DatabaseTimeouts timeouts) {
        this(uri, source, timeouts, 1);
    }

    private ConnectionPool(PostgresqlUri uri, PrimaryDataSource source, DatabaseTimeouts timeouts, int leastIdle) {
        this.uri = uri;
        this.source = source;
        this.timeouts = timeouts;
        HikariConfig given = configuration();
        given.setMinimumIdle(leastIdle);
        this.pool = new HikariDataSource(given);
    }

    /** A second pool of the same size, which opens connections only on demand. */
    public ConnectionPool another() {
        return new ConnectionPool(uri, source, timeouts, 0);
    }

    /**
     * Opens a pool, after one connection has logged in successfully.
     *
     * @param applicationName shown in {@code pg_stat_activity}
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the server refused the
     *     login, the database does not exist, or the JDBC driver or HikariCP is too old
     * @throws LogUnavailableException recoverable: no primary answered
     */
    public static ConnectionPool open(PostgresqlUri uri, String applicationName, DatabaseTimeouts timeouts) {
        return open(uri, CredentialsSource.of(uri), applicationName, timeouts);
    }

    static ConnectionPool open(
            PostgresqlUri uri, CredentialsSource credentials, String applicationName, DatabaseTimeouts timeouts) {
        LogLibraries.requireSupported();
        uri.certificates().requireReadable();
        PrimaryDataSource source = new PrimaryDataSource(uri, credentials, applicationName, timeouts);
        try (Connection connection = source.getConnection()) {
            requireWritable(connection);
        } catch (SQLException e) {
            throw DatabaseFailures.atOpen("open the log", uri, e);
        }
        return new ConnectionPool(uri, source, timeouts);
    }

    private HikariConfig configuration() {
        HikariConfig given = new HikariConfig();
        String name = "blobshuffle-log-" + POOLS.incrementAndGet();
        AtomicInteger threads = new AtomicInteger();
        given.setPoolName(name);
        given.setDataSource(source);
        given.setMaximumPoolSize(uri.connections());
        given.setConnectionTimeout(timeouts.borrow().toMillis());
        given.setValidationTimeout(
                Math.min(VALIDATION.toMillis(), timeouts.borrow().toMillis()));
        given.setIdleTimeout(IDLE.toMillis());
        given.setMaxLifetime(LIFETIME.toMillis());
        given.setKeepaliveTime(KEEP_ALIVE.toMillis());
        given.setInitializationFailTimeout(-1);
        given.setRegisterMbeans(false);
        given.setExceptionOverride(new Eviction());
        given.setThreadFactory(task -> {
            Thread thread = new Thread(task, name + "-" + threads.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        return given;
    }

    /** The address, without secrets. */
    public PostgresqlUri uri() {
        return uri;
    }

    /**
     * Borrows a connection in autocommit mode. Closing it returns it to the pool, and rolls back an
     * open transaction.
     *
     * @param action its purpose, as in "read the log"
     * @throws LogUnavailableException recoverable: no connection became free in time
     * @throws ClosedException fatal: the pool is closed
     */
    public Connection borrow(String action) {
        requireOpen(action);
        try {
            return pool.getConnection();
        } catch (SQLException e) {
            requireOpen(action);
            throw refused(action, e);
        }
    }

    /**
     * Opens a connection outside the pool, for state that outlives a transaction. The caller closes
     * it.
     *
     * @throws LogUnavailableException recoverable: no primary answered
     */
    public Connection session(String action) {
        requireOpen(action);
        try {
            return source.getConnection();
        } catch (SQLException e) {
            throw DatabaseFailures.later(action, uri, e);
        }
    }

    /** Number of connections in use, for a gauge. */
    public int borrowed() {
        HikariPoolMXBean bean = isClosed.get() ? null : pool.getHikariPoolMXBean();
        return bean == null ? 0 : bean.getActiveConnections();
    }

    /**
     * Replaces all connections, because one broke and the others may go to the same server.
     * Connections in use leave the pool when they are returned.
     */
    public void replaceAll() {
        source.suspectPrimary();
        HikariPoolMXBean bean = pool.getHikariPoolMXBean();
        if (bean != null) {
            bean.softEvictConnections();
        }
    }

    private BlobShuffleException refused(String action, SQLException failure) {
        if (borrowed() >= uri.connections()) {
            return new LogUnavailableException(
                    "Cannot " + action + " in " + uri + ": all " + uri.connections()
                            + " connections are in use. End transactions sooner, or raise the parameter connections.",
                    failure);
        }
        return DatabaseFailures.later(action, uri, failure);
    }

    private void requireOpen(String action) {
        if (isClosed.get()) {
            throw new ClosedException("Cannot " + action + ": the log is closed. Open it again.");
        }
    }

    /** Checks for a standby, because a pooler may hide from the driver that its server is one. */
    private static void requireWritable(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("show transaction_read_only")) {
            if (row.next() && row.getString(1).equals("on")) {
                throw new SQLException("The server is read-only.", DatabaseFailures.READ_ONLY);
            }
        }
    }

    /** Closes all connections, including those in use. Idempotent. */
    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            pool.close();
        }
    }

    @Override
    public String toString() {
        return "ConnectionPool[" + uri + "]";
    }

    /** Decides which failures remove a connection from the pool. */
    private final class Eviction implements SQLExceptionOverride {
        @java.lang.Override
        public Override adjudicate(SQLException failure) {
            if (DatabaseFailures.isReadOnly(failure)) {
                replaceAll();
                return Override.MUST_EVICT;
            }
            return DatabaseFailures.isDisconnected(failure) ? Override.MUST_EVICT : Override.DO_NOT_EVICT;
        }
    }
}
