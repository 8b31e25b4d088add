package dev.blobshuffle.postgresql.internal.schema;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.postgresql.internal.connection.ConnectionPool;
import dev.blobshuffle.postgresql.internal.connection.DatabaseFailures;
import dev.blobshuffle.postgresql.internal.connection.DatabaseTimeouts;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * Creates or upgrades the log that a URI names, and lets a role use it, as an operator would by
 * hand. First determines the necessary steps. Logs in with the URI's credentials, as the owner of
 * the schema or a role that may create it. Owned by one thread.
 */
public final class SchemaSetup implements AutoCloseable {
    /** Timeouts for long statements: an index of a large table may take minutes to build. */
    private static final DatabaseTimeouts TIMEOUTS = new DatabaseTimeouts(
            DatabaseTimeouts.DEFAULT.connect(),
            DatabaseTimeouts.DEFAULT.borrow(),
            Duration.ofMinutes(30),
            Duration.ofMinutes(31));

    private static final String ACTION = "set up the log";

    /** State of a lack of privileges. */
    private static final String FORBIDDEN = "42501";

    private static final String FACTS = """
            select current_user as role,
              pg_catalog.has_database_privilege(current_database(), 'CREATE') as may_create,
              n.oid is not null as has_schema,
              coalesce(pg_catalog.pg_has_role(n.nspowner, 'USAGE'), false) as is_owner,
              coalesce(pg_catalog.pg_get_userbyid(n.nspowner), '') as owner,
              (select count(*) from pg_catalog.pg_class c
                where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v')) as tables,
              exists (select from pg_catalog.pg_proc p
                where p.pronamespace = n.oid and p.proname = 'log_info') as has_log,
              exists (select from pg_catalog.pg_roles r where r.rolname = ?) as has_role
            from (select 1) one left join pg_catalog.pg_namespace n on n.nspname = ?""";

    private final PostgresqlUri uri;
    private final Optional<ClientRole> clientRole;
    private final ConnectionPool pool;
    private final Migrations migrations;

    private SchemaSetup(PostgresqlUri uri, Optional<ClientRole> clientRole, ConnectionPool pool) {
        this.uri = uri;
        this.clientRole = clientRole;
        this.pool = pool;
        migrations = new Migrations(new SchemaName(uri.schema()));
    }

    /**
     * Logs in.
     *
     * @param clientRole the role of applications; empty: rights stay unchanged
     * @throws InvalidSettingsException the server refused the login, or the database does not exist
     * @throws dev.blobshuffle.log.failure.LogUnavailableException no primary answered
     */
    public static SchemaSetup open(PostgresqlUri uri, Optional<ClientRole> clientRole) {
        return new SchemaSetup(uri, clientRole, ConnectionPool.open(uri, "blobshuffle-setup", TIMEOUTS));
    }

    /**
     * The necessary steps.
     *
     * @param from the present version; empty: there is no log
     * @param to the version that this library needs
     * @param steps one sentence each; empty: nothing to do
     */
    public record Plan(OptionalInt from, int to, List<String> steps) {
        /** Copies the list. */
        public Plan {
            steps = List.copyOf(steps);
        }
    }

    /**
     * Determines the necessary steps. Changes nothing.
     *
     * @throws InvalidSettingsException they are impossible with this role, schema or client role
     */
    public Plan plan() {
        try (Connection database = pool.borrow(ACTION)) {
            enter(database);
            Facts facts = facts(database);
            require(facts);
            OptionalInt from = facts.hasLog() ? migrations.version(database) : OptionalInt.empty();
            int needed = Migrations.needed();
            requireKnown(from, needed);
            List<String> steps = new ArrayList<>();
            if (!facts.hasSchema()) {
                steps.add("Create schema " + uri.schema() + ", owned by " + facts.role() + ".");
            }
            if (from.isEmpty()) {
                steps.add("Create the log's tables and functions, version " + needed + ".");
            } else if (from.getAsInt() < needed) {
                steps.add("Upgrade the log from version " + from.getAsInt() + " to " + needed + ".");
            }
            if (clientRole.isPresent() && !mayCall(database, clientRole.get(), from, needed)) {
                steps.add("Let role " + roleName() + " "
                        + ClientUse.sentence(clientRole.get().uses())
                        + ", and nothing else. It gets no right on tables.");
            }
            return new Plan(from, needed, steps);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** Runs the steps of {@link #plan}. Completed steps stay as they are. */
    public void execute() {
        try (Connection database = pool.borrow(ACTION)) {
            migrations.apply(database);
            if (clientRole.isPresent()) {
                migrations.grant(database, clientRole.get());
            }
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** Begins a transaction in which no function of another role is called. */
    private static void enter(Connection database) throws SQLException {
        database.setAutoCommit(false);
        try (Statement statement = database.createStatement()) {
            statement.execute(SchemaName.OWN_NAMES_ONLY);
        }
    }

    private record Facts(
            String role,
            boolean mayCreate,
            boolean hasSchema,
            boolean isOwner,
            String owner,
            int tables,
            boolean hasLog,
            boolean hasRole) {}

    private Facts facts(Connection database) throws SQLException {
        try (PreparedStatement query = database.prepareStatement(FACTS)) {
            query.setString(1, roleName());
            query.setString(2, uri.schema());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return new Facts(
                        row.getString("role"),
                        row.getBoolean("may_create"),
                        row.getBoolean("has_schema"),
                        row.getBoolean("is_owner"),
                        row.getString("owner"),
                        row.getInt("tables"),
                        row.getBoolean("has_log"),
                        row.getBoolean("has_role"));
            }
        }
    }

    private void require(Facts facts) {
        if (!facts.hasSchema() && !facts.mayCreate()) {
            throw new InvalidSettingsException("Cannot set up the log in " + uri + ": role " + facts.role()
                    + " may not create a schema in this database. Log in as the database's owner, or let it:"
                    + " grant create on database " + uri.database() + " to " + facts.role() + ".");
        }
        if (facts.hasSchema() && !facts.isOwner()) {
            throw new InvalidSettingsException(
                    "Cannot set up the log in " + uri + ": schema " + uri.schema() + " belongs to " + facts.owner()
                            + ", and this is " + facts.role() + ". Log in as " + facts.owner() + ".");
        }
        if (facts.hasSchema() && !facts.hasLog() && facts.tables() > 0) {
            throw new InvalidSettingsException(
                    "Cannot set up the log in " + uri + ": schema " + uri.schema() + " holds " + facts.tables()
                            + " other tables. Give the log a schema of its own: the parameter schema.");
        }
        if (clientRole.isPresent() && !facts.hasRole()) {
            throw new InvalidSettingsException("Cannot set up the log in " + uri + ": there is no role " + roleName()
                    + ". Create it first: create role " + roleName() + " login.");
        }
        if (clientRole.isPresent() && roleName().equals(facts.role())) {
            throw new InvalidSettingsException("Cannot set up the log in " + uri + ": role " + facts.role()
                    + " owns it, so it is not a client role. Create another role for applications.");
        }
    }

    private void requireKnown(OptionalInt from, int needed) {
        if (from.isPresent() && from.getAsInt() > needed) {
            throw new InvalidSettingsException("Cannot set up the log in " + uri + ": it has version " + from.getAsInt()
                    + ", and these tools know versions up to " + needed + ". Use newer tools.");
        }
    }

    private String roleName() {
        return clientRole.map(role -> role.name().text()).orElse("");
    }

    /**
     * Whether a role may call exactly the functions of its uses. The upgrade grants later functions
     * to all roles that the log remembers.
     */
    private boolean mayCall(Connection database, ClientRole role, OptionalInt from, int needed) throws SQLException {
        if (from.isEmpty() || from.getAsInt() != needed) {
            return false;
        }
        String text = "select pg_catalog.has_schema_privilege(?, ?, 'USAGE') and not exists (select from"
                + " pg_catalog.pg_proc p where p.pronamespace = ?::regnamespace and p.prosecdef"
                + " and pg_catalog.has_function_privilege(?, p.oid, 'EXECUTE')"
                + " is distinct from pg_catalog.obj_description(p.oid, 'pg_proc') = any (?))";
        try (PreparedStatement query = database.prepareStatement(text)) {
            query.setString(1, roleName());
            query.setString(2, uri.schema());
            query.setString(3, uri.schema());
            query.setString(4, roleName());
            query.setArray(
                    5,
                    database.createArrayOf(
                            "text",
                            Stream.concat(Stream.of("all"), role.uses().stream().map(ClientUse::text))
                                    .toArray()));
            try (ResultSet row = query.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    /** A right that lacks here is one of the owner, not of a client. */
    private BlobShuffleException failed(SQLException failure) {
        return DatabaseFailures.state(failure).equals(FORBIDDEN)
                ? new InvalidSettingsException(
                        "Cannot set up the log in " + uri + ": the server refuses a step (" + failure.getMessage()
                                + "). Log in as the owner of the schema, and look for event triggers of the database.",
                        failure)
                : DatabaseFailures.atOpen(ACTION, uri, failure);
    }

    /** Closes the connections. Idempotent. */
    @Override
    public void close() {
        pool.close();
    }
}
