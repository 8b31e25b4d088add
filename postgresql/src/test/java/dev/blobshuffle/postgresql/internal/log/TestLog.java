package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.postgresql.internal.connection.DatabaseTimeouts;
import dev.blobshuffle.postgresql.internal.schema.ClientRole;
import dev.blobshuffle.postgresql.internal.schema.Migrations;
import dev.blobshuffle.postgresql.internal.schema.SchemaName;
import dev.blobshuffle.postgresqlembedded.PostgresRelease;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A log in its own schema, whose clients log in as a role that may only call functions. The role
 * may also insert into a table of the test.
 */
final class TestLog implements LogUnderTest {
    private static final String DATABASE = "postgres";
    private static final AtomicInteger LOGS = new AtomicInteger();

    private final PostgresServer server;
    private final String name;
    private final Path directory;
    private final Path credentials;
    private final SystemTime time = new SystemTime();

    /** On the newest release, on the server that the tests of this JVM share. */
    TestLog() {
        this(PostgresServer.shared(PostgresRelease.shipped()));
    }

    TestLog(PostgresServer server) {
        this.server = server;
        this.name = "tenant_" + ProcessHandle.current().pid() + "_" + LOGS.incrementAndGet();
        try {
            directory = Files.createTempDirectory("blobshuffle-log-");
            credentials = directory.resolve("credentials");
            PrivateFiles.write(credentials, "user=" + name + "\npassword=" + password() + "\n");
            create();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot create a log.", e);
        }
    }

    private void create() throws SQLException {
        Migrations migrations = new Migrations(new SchemaName(name));
        try (Connection connection = server.connect(DATABASE);
                Statement statement = connection.createStatement()) {
            statement.execute("create role " + name + " login password '" + password() + "'");
            migrations.apply(connection);
            migrations.grant(connection, ClientRole.of(name));
            statement.execute("create table " + table() + " (row text not null);" + " grant select, insert on "
                    + table() + " to " + name);
        }
    }

    private String table() {
        return "public.rows_of_" + name;
    }

    /** The log's server. */
    PostgresServer server() {
        return server;
    }

    /** The schema's name, which is the role's too. */
    String name() {
        return name;
    }

    /** The role's password. */
    String password() {
        return "secret of " + name;
    }

    /** The clients' URI for ports of this machine. */
    String uri(int... ports) {
        String hosts = IntStream.of(ports).mapToObj(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
        return "postgresql://" + hosts + "/" + DATABASE + "?schema=" + name + "&sslmode=disable&credentials="
                + credentials;
    }

    @Override
    public CommitLog connect() {
        return connect(uri(server.port()), DatabaseTimeouts.DEFAULT);
    }

    CommitLog connect(String uri, DatabaseTimeouts timeouts) {
        return new PostgresqlLogProvider(timeouts).open(uri, "test", time);
    }

    @Override
    public void shiftClock(Duration span) {
        execute("update " + name + ".log set clock_shift = clock_shift + interval '" + span + "'");
    }

    @Override
    public void insert(LogTransaction transaction, String row) {
        try (PreparedStatement statement =
                transaction.unwrap(Connection.class).prepareStatement("insert into " + table() + " values (?)")) {
            statement.setString(1, row);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot insert a row.", e);
        }
    }

    @Override
    public List<String> rows() {
        return rows(server);
    }

    /** The rows on a server. */
    List<String> rows(PostgresServer at) {
        try (Connection connection = at.connect(DATABASE);
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("select row from " + table() + " order by row")) {
            List<String> rows = new ArrayList<>();
            while (found.next()) {
                rows.add(found.getString(1));
            }
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot read the rows.", e);
        }
    }

    /** The superuser's answer to a query. */
    boolean asks(String query) {
        try (Connection connection = server.connect(DATABASE);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() && row.getBoolean(1);
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot ask.", e);
        }
    }

    /** Writes a file in the server's data directory, which only the server can read. */
    void file(String file, String text) {
        execute("copy (select unnest(string_to_array('" + text.stripTrailing() + "', E'\\n'))) to program"
                + " 'umask 077; rm -f " + file + "; cat > " + file + "'");
    }

    /** Runs a statement as the superuser. */
    void execute(String sql) {
        try (Connection connection = server.connect(DATABASE);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot run a statement.", e);
        }
    }

    @Override
    public void close() {
        time.close();
        if (server.isRunning()) {
            execute("drop schema " + name + " cascade; drop table " + table() + "; drop role " + name);
        }
        try {
            Files.deleteIfExists(credentials);
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
