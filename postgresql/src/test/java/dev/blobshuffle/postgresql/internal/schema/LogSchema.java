package dev.blobshuffle.postgresql.internal.schema;

import static org.awaitility.Awaitility.await;

import dev.blobshuffle.postgresqlembedded.PostgresRelease;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A commit log in its own schema, with its owner and a client role. Owned by one test. */
final class LogSchema implements AutoCloseable {
    private static final String PASSWORD = "secret";

    final String name;
    final String clientRole;
    private final PostgresServer server;
    private final List<Session> sessions = new ArrayList<>();
    private final Session owner;

    LogSchema(PostgresServer server, String name) throws SQLException {
        this.server = server;
        this.name = name;
        clientRole = "client of " + name;
        owner = session(PostgresServer.USER, server.password());
        owner.execute("create role " + new SchemaName(clientRole).quoted() + " login password '" + PASSWORD + "'");
        Migrations migrations = new Migrations(new SchemaName(name));
        migrations.apply(owner.connection());
        migrations.grant(owner.connection(), ClientRole.of(clientRole));
        enter(owner);
    }

    /** On a server of a release, with a name that needs quotes. */
    static LogSchema create(PostgresRelease release) throws SQLException {
        return new LogSchema(
                PostgresServer.shared(release),
                "Log \"" + UUID.randomUUID().toString().substring(0, 8));
    }

    /** The owner, in the schema. */
    Session owner() {
        return owner;
    }

    /** A new session of the client role, with the schema in its search_path. */
    Session client() throws SQLException {
        return enter(stranger());
    }

    /** A new session of the client role, with the default search_path. */
    Session stranger() throws SQLException {
        return session(clientRole, PASSWORD);
    }

    /** Advances the log's clock. */
    void pass(Duration time) throws SQLException {
        owner.execute("update log set clock_shift = clock_shift + ? * interval '1 millisecond'", time.toMillis());
    }

    /** The number of rows in a table. */
    long count(String table) throws SQLException {
        return owner.<Long>value("select count(*) from " + table);
    }

    String quoted() {
        return new SchemaName(name).quoted();
    }

    private Session session(String user, String password) throws SQLException {
        Session session = new Session(server.connect("postgres", user, password));
        sessions.add(session);
        return session;
    }

    private Session enter(Session session) throws SQLException {
        session.execute("set search_path to " + quoted());
        return session;
    }

    @Override
    public void close() throws SQLException {
        owner.rollback();
        for (Session session : sessions.subList(1, sessions.size())) {
            session.close();
        }
        awaitEnd(clientRole);
        owner.execute("drop schema " + quoted() + " cascade");
        owner.execute("drop role " + new SchemaName(clientRole).quoted());
        owner.close();
    }

    /** Waits, because a session drops its temporary tables after its client has gone. */
    private void awaitEnd(String role) {
        await("the end of the sessions of " + role)
                .atMost(Duration.ofMinutes(2))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> owner.<Long>value("select count(*) from pg_stat_activity where usename = ?", role) == 0);
    }
}
