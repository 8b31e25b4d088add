package dev.blobshuffle.postgresql.internal.connection;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Properties;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.postgresql.core.BaseConnection;
import org.postgresql.util.HostSpec;

/**
 * Opens connections to the server of a URI that is the primary. Reads the credentials for each
 * connection. It first tries the last known primary. So a hanging server costs a timeout only once,
 * and a former primary that returns is not tried while the new one answers. Thread-safe.
 */
final class PrimaryDataSource implements DataSource {
    /** A statement is prepared at its third execution. */
    private static final String PREPARE_THRESHOLD = "3";

    /** How long the driver remembers which server is the primary; a failover takes longer. */
    private static final String RECHECK_SECONDS = "2";

    private static final String OLDEST_SERVER = "14";

    private final Driver driver = new Driver();
    private final PostgresqlUri uri;
    private final CredentialsSource credentials;
    private final Properties properties;

    /** Index of the last known primary. */
    private volatile int primary;

    /** Index of the server to try first. */
    private volatile int first;

    PrimaryDataSource(
            PostgresqlUri uri, CredentialsSource credentials, String applicationName, DatabaseTimeouts timeouts) {
        this.uri = uri;
        this.credentials = credentials;
        this.properties = properties(uri, applicationName, timeouts);
    }

    private static Properties properties(PostgresqlUri uri, String applicationName, DatabaseTimeouts timeouts) {
        Properties given = new Properties();
        PGProperty.PG_DBNAME.set(given, uri.database());
        PGProperty.APPLICATION_NAME.set(given, applicationName);
        PGProperty.TARGET_SERVER_TYPE.set(given, "primary");
        PGProperty.HOST_RECHECK_SECONDS.set(given, RECHECK_SECONDS);
        PGProperty.CONNECT_TIMEOUT.set(given, DatabaseTimeouts.seconds(timeouts.connect()));
        PGProperty.SOCKET_TIMEOUT.set(given, DatabaseTimeouts.seconds(timeouts.socket()));
        PGProperty.TCP_KEEP_ALIVE.set(given, true);
        // The details of an error may contain a row's values.
        PGProperty.LOG_SERVER_ERROR_DETAIL.set(given, false);
        PGProperty.REWRITE_BATCHED_INSERTS.set(given, false);
        if (uri.pooler() == Pooler.TRANSACTION) {
            PGProperty.PREPARE_THRESHOLD.set(given, "0");
            PGProperty.PREPARED_STATEMENT_CACHE_QUERIES.set(given, 0);
        } else {
            PGProperty.PREPARE_THRESHOLD.set(given, PREPARE_THRESHOLD);
            // The session then begins with the driver's settings, so a reset keeps them.
            PGProperty.ASSUME_MIN_SERVER_VERSION.set(given, OLDEST_SERVER);
            // A pooler rejects options. Behind one, the role's own settings and the socket timeout
            // apply. The driver writes nulls of arrays as texts. Older drivers, such as 42.7.5,
            // send the application name only here if the server's version is assumed.
            PGProperty.OPTIONS.set(
                    given,
                    "-c statement_timeout=" + timeouts.statement().toMillis()
                            + " -c array_nulls=on -c application_name="
                            + applicationName.replaceAll("[\\\\\\s]", "\\\\$0"));
        }
        encrypt(given, uri);
        return given;
    }

    private static void encrypt(Properties given, PostgresqlUri uri) {
        PGProperty.GSS_ENC_MODE.set(given, "disable");
        PGProperty.SSL_MODE.set(given, uri.sslMode().text());
        PostgresqlUri.Certificates files = uri.certificates();
        if (files.authorities().isEmpty() && uri.sslMode().isVerified()) {
            PGProperty.SSL_FACTORY.set(given, "org.postgresql.ssl.DefaultJavaSSLFactory");
        }
        files.authorities().ifPresent(file -> PGProperty.SSL_ROOT_CERT.set(given, file.toString()));
        files.own().ifPresent(file -> PGProperty.SSL_CERT.set(given, file.toString()));
        files.key().ifPresent(file -> PGProperty.SSL_KEY.set(given, file.toString()));
    }

    @Override
    public Connection getConnection() throws SQLException {
        Credentials login = credentials.read();
        Properties all = new Properties();
        all.putAll(properties);
        PGProperty.USER.set(all, login.user());
        // Not null: the driver would look for a password itself.
        PGProperty.PASSWORD.set(all, login.password().orElse(""));
        int start = first;
        try {
            Connection connection = driver.connect(url(start), all);
            if (connection == null) {
                throw new SQLException("The driver does not know the address " + uri + ".", "08001");
            }
            primary = serverOf(connection, start);
            first = primary;
            return connection;
        } catch (SQLException e) {
            first = (start + 1) % uri.servers().size();
            throw e;
        }
    }

    /**
     * Makes the next connection try another server first, because a connection to the primary
     * broke.
     */
    void suspectPrimary() {
        first = (primary + 1) % uri.servers().size();
    }

    /** The servers in order, beginning with the given one. */
    private String url(int start) {
        List<Server> servers = uri.servers();
        return IntStream.range(0, servers.size())
                .mapToObj(index -> servers.get((start + index) % servers.size()).toString())
                .collect(Collectors.joining(",", "jdbc:postgresql://", "/"));
    }

    private int serverOf(Connection connection, int otherwise) throws SQLException {
        HostSpec reached =
                connection.unwrap(BaseConnection.class).getQueryExecutor().getHostSpec();
        List<Server> servers = uri.servers();
        return IntStream.range(0, servers.size())
                .filter(index -> servers.get(index).host().equals(reached.getHost())
                        && servers.get(index).port() == reached.getPort())
                .findFirst()
                .orElse(otherwise);
    }

    @Override
    public Connection getConnection(@Nullable String user, @Nullable String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("Cannot log in as another user than the credentials name.");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {
        // The driver logs through java.util.logging.
    }

    @Override
    public void setLoginTimeout(int seconds) {
        // The driver's connect and socket timeouts cover a login.
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        return driver.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("This wraps no " + type.getName() + ".");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }

    @Override
    public String toString() {
        return "PrimaryDataSource[" + uri + "]";
    }
}
