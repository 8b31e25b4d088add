package dev.blobshuffle.postgresql.internal.schema;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * Brings the schema of a commit log to the version that this library needs. It does everything in
 * one transaction, under a lock, so any number of instances may run it concurrently. Needs the
 * rights of the schema's owner. Thread-safe.
 *
 * <p>The schema stores the applied migrations with their checksums. A migration that has changed
 * since, or a version that this library does not know, is an error.
 */
public final class Migrations {
    private static final List<Migration> ALL = List.of(Migration.of(
            1,
            "tables",
            "functions",
            "writers",
            "topics",
            "groups",
            "retention",
            "claims",
            "outbox",
            "instances",
            "tools"));
    private static final String RIGHTS = "rights.sql";
    private static final int OLDEST_SERVER = 140_000;

    private final SchemaName schema;
    private final List<Migration> migrations;

    /**
     * The migrations of a schema.
     *
     * @param schema the schema of the log
     */
    public Migrations(SchemaName schema) {
        this(schema, ALL);
    }

    Migrations(SchemaName schema, List<Migration> migrations) {
        this.schema = schema;
        this.migrations = List.copyOf(migrations);
    }

    /** The migrations of this library, by version. */
    static List<Migration> all() {
        return ALL;
    }

    /** The version that this library needs. */
    public static int needed() {
        return ALL.get(ALL.size() - 1).version();
    }

    /**
     * Creates the schema if it does not exist, and applies missing migrations.
     *
     * @param connection of the owner; keeps its transaction mode
     * @throws InvalidSettingsException this library cannot use the server or the schema
     */
    public void apply(Connection connection) throws SQLException {
        inTransaction(connection, statement -> {
            refuseOldServer(connection);
            if (!exists(connection, "select 1 from pg_namespace where nspname = ?", schema.text())) {
                statement.execute("create schema " + schema.quoted());
            }
            enter(statement);
            statement.execute("create table if not exists migration (version int primary key, name text not null,"
                    + " checksum text not null, applied_at timestamptz not null default clock_timestamp())");
            applyMissing(connection, statement);
            if (migrations.equals(ALL)) {
                statement.execute(Migration.text(RIGHTS));
            }
        });
    }

    /**
     * Lets a role call the functions of its uses and no others, now and after later migrations. The
     * role gets no rights on tables.
     *
     * @param connection of the owner
     * @param role an existing role
     */
    public void grant(Connection connection, ClientRole role) throws SQLException {
        String name = role.name().text();
        inTransaction(connection, statement -> {
            if (!exists(connection, "select 1 from pg_roles where rolname = ?", name)) {
                throw new InvalidSettingsException("Cannot let role '" + name + "' use schema '" + schema.text()
                        + "': there is no such role. Create it first.");
            }
            enter(statement);
            try (PreparedStatement insert = connection.prepareStatement("insert into client_role (name, uses)"
                    + " values (?, ?) on conflict (name) do update set uses = excluded.uses")) {
                insert.setString(1, name);
                insert.setArray(
                        2,
                        connection.createArrayOf(
                                "text",
                                role.uses().stream().map(ClientUse::text).toArray()));
                insert.executeUpdate();
            }
            statement.execute(Migration.text(RIGHTS));
        });
    }

    /**
     * The version of the schema; empty if it has no log. Only the owner can read it here; clients
     * call {@code log_info}.
     */
    public OptionalInt version(Connection connection) throws SQLException {
        String table = schema.quoted() + ".migration";
        if (!exists(connection, "select 1 where to_regclass(?) is not null", table)) {
            return OptionalInt.empty();
        }
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("select max(version) from " + table)) {
            found.next();
            int version = found.getInt(1);
            return found.wasNull() ? OptionalInt.empty() : OptionalInt.of(version);
        }
    }

    private void applyMissing(Connection connection, Statement statement) throws SQLException {
        Map<Integer, String> applied = applied(statement);
        int newest = migrations.get(migrations.size() - 1).version();
        applied.keySet().stream().filter(version -> version > newest).findAny().ifPresent(version -> {
            throw new InvalidSettingsException("Cannot use schema '" + schema.text() + "': it has version " + version
                    + ", and this library knows versions up to " + newest + ". Update this library.");
        });
        for (Migration migration : migrations) {
            String checksum = applied.get(migration.version());
            if (checksum == null) {
                statement.execute(migration.sql());
                remember(connection, migration);
            } else if (!checksum.equals(migration.checksum())) {
                throw new InvalidSettingsException("Cannot migrate schema '" + schema.text() + "': " + migration.name()
                        + " is not the one that was applied, checksum " + checksum.substring(0, 8) + " then and "
                        + migration.checksum().substring(0, 8) + " now. Use the released library.");
            }
        }
    }

    private static Map<Integer, String> applied(Statement statement) throws SQLException {
        Map<Integer, String> applied = new TreeMap<>();
        try (ResultSet rows = statement.executeQuery("select version, checksum from migration")) {
            while (rows.next()) {
                applied.put(rows.getInt(1), rows.getString(2));
            }
        }
        return applied;
    }

    private static void remember(Connection connection, Migration migration) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("insert into migration (version, name, checksum) values (?, ?, ?)")) {
            insert.setInt(1, migration.version());
            insert.setString(2, migration.name());
            insert.setString(3, migration.checksum());
            insert.executeUpdate();
        }
    }

    private static void refuseOldServer(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet version =
                        statement.executeQuery("select current_setting('server_version_num')::int, version()")) {
            version.next();
            if (version.getInt(1) < OLDEST_SERVER) {
                throw new InvalidSettingsException("Cannot keep a commit log here: the server is "
                        + version.getString(2) + ", and PostgreSQL 14 or newer is needed. Use a newer server.");
            }
        }
    }

    private static boolean exists(Connection connection, String query, String value) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setString(1, value);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    private void enter(Statement statement) throws SQLException {
        statement.execute("set local search_path to " + schema.quoted() + ", pg_temp");
    }

    /** Runs a step in one transaction, with the schema's migration lock. */
    private void inTransaction(Connection connection, Step step) throws SQLException {
        boolean wasAutoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(SchemaName.OWN_NAMES_ONLY);
            try (PreparedStatement lock =
                    connection.prepareStatement("select pg_advisory_xact_lock(hashtext(? || '/migration'), 0)")) {
                lock.setString(1, schema.text());
                lock.execute();
            }
            step.run(statement);
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            restore(connection, wasAutoCommit, e);
            throw e;
        }
        connection.setAutoCommit(wasAutoCommit);
    }

    /** Rolls back. Keeps the failure, although the connection may be broken. */
    private static void restore(Connection connection, boolean wasAutoCommit, Exception failure) {
        try {
            connection.rollback();
            connection.setAutoCommit(wasAutoCommit);
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    /** The work in the transaction. */
    private interface Step {
        void run(Statement statement) throws SQLException;
    }
}
