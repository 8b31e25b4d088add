package dev.blobshuffle.bench.demo.messaging;

import dev.blobshuffle.bench.demo.DemoFailedException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import dev.blobshuffle.postgresql.internal.schema.ClientRole;
import dev.blobshuffle.postgresql.internal.schema.SchemaSetup;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * A PostgreSQL server with a synchronous standby: the log, and the table that subscribers write to.
 * Applications log in with a role that has no rights on the log's tables. Owned by one thread.
 */
final class DemoDatabase implements AutoCloseable {
    static final String ORDERS = "orders";
    static final String RECEIPTS = "receipts";
    static final String GROUP = "billing";

    /** The subscribers' own table. */
    static final String TABLE = "billing.orders";

    private static final String DATABASE = "postgres";
    private static final String ROLE = "demo";
    private static final String SCHEMA = "blobshuffle";

    private final Path directory;
    private final List<PostgresServer> servers = new ArrayList<>();
    private PostgresServer primary;
    private PostgresServer standby;

    private DemoDatabase(Path directory) {
        this.directory = directory;
        primary = PostgresServer.builder().setting("max_connections", "300").start();
        servers.add(primary);
        standby = addStandby();
    }

    /**
     * Starts both servers and sets up the log.
     *
     * @param directory for credentials
     */
    static DemoDatabase start(Path directory) {
        DemoDatabase database = new DemoDatabase(directory);
        try {
            database.setUp();
            return database;
        } catch (IOException | SQLException | RuntimeException e) {
            database.close();
            throw new DemoFailedException("Cannot set up the demo's database: " + e.getMessage(), e);
        }
    }

    private PostgresServer addStandby() {
        String name = "standby" + servers.size();
        PostgresServer added = primary.startStandby(name);
        servers.add(added);
        primary.requireStandby(name);
        return added;
    }

    private void setUp() throws IOException, SQLException {
        String password = UUID.randomUUID().toString();
        write("owner", PostgresServer.USER, primary.password());
        write("application", ROLE, password);
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute("create role " + ROLE + " login password '" + password + "';"
                    + "create schema billing authorization " + ROLE + ";"
                    + "create table " + TABLE + " (id bigint generated always as identity primary key,"
                    + " part int not null, pos bigint not null, publisher text not null, number bigint not null,"
                    + " latency_millis bigint not null, subscriber text not null);"
                    + "alter table " + TABLE + " owner to " + ROLE);
        }
        try (SchemaSetup setup =
                SchemaSetup.open(PostgresqlUri.parse(uri("owner")), Optional.of(ClientRole.of(ROLE)))) {
            setup.execute();
        }
    }

    private void write(String name, String user, String password) throws IOException {
        PrivateFiles.write(directory.resolve(name), "user=" + user + "\npassword=" + password + "\n");
    }

    /** The log for applications: both servers, of which the client finds the primary. */
    String uri() {
        return uri("application");
    }

    private String uri(String credentials) {
        return "postgresql://127.0.0.1:" + primary.port() + ",127.0.0.1:" + standby.port() + "/" + DATABASE + "?schema="
                + SCHEMA + "&credentials=" + directory.resolve(credentials);
    }

    /** Ends the primary with SIGKILL and promotes its standby. */
    void failOver() {
        primary.kill();
        standby.promote();
        primary = standby;
    }

    /** Adds a synchronous standby to the promoted primary. */
    void protectAgain() {
        standby = addStandby();
    }

    /** Stops the primary with SIGSTOP. */
    void pausePrimary() {
        primary.pause();
    }

    /** Lets the primary continue, with SIGCONT. */
    void resumePrimary() {
        primary.resume();
    }

    /** Ends the primary with SIGKILL and starts it again. */
    void restartPrimary() {
        primary.restart();
    }

    /** Stops the standby with SIGSTOP. */
    void pauseStandby() {
        standby.pause();
    }

    /** Lets the standby continue, with SIGCONT. */
    void resumeStandby() {
        standby.resume();
    }

    /** Ends the standby with SIGKILL and starts it again. */
    void restartStandby() {
        standby.restart();
    }

    /** Ends all sessions of applications at the primary. */
    void endSessions() {
        long ignored =
                number("select count(pg_terminate_backend(pid)) from pg_stat_activity where usename = '" + ROLE + "'");
    }

    /** Makes the primary refuse writes, or accept them again. */
    void refuseWrites(boolean refuse) {
        primary.change("default_transaction_read_only", refuse ? "on" : "off");
    }

    /** The newest row in the subscribers' table. */
    long newestRow() {
        return number("select coalesce(max(id), 0) from " + TABLE);
    }

    /** The lives of publishers that have a row after the given one. */
    Set<String> publishersAfter(long row) {
        Set<String> found = new HashSet<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("select distinct publisher from " + TABLE + " where id > " + row)) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
            return found;
        } catch (SQLException e) {
            throw new DemoFailedException("Cannot ask the demo's database: " + e.getMessage(), e);
        }
    }

    /** A connection to the primary as its superuser. */
    Connection connect() throws SQLException {
        return primary.connect(DATABASE);
    }

    /** Batches that were committed to the log. */
    long commits() {
        return number("select count(*) from " + SCHEMA + ".batch");
    }

    /** Rows in the subscribers' table. */
    long rows() {
        return number("select count(*) from " + TABLE);
    }

    private long number(String query) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            return rows.next() ? rows.getLong(1) : 0;
        } catch (SQLException e) {
            throw new DemoFailedException("Cannot ask the demo's database: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        servers.forEach(PostgresServer::close);
    }
}
