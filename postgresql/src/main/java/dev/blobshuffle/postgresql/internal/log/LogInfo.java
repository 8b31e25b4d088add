package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.postgresql.internal.connection.ConnectionPool;
import dev.blobshuffle.postgresql.internal.connection.DatabaseFailures;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import dev.blobshuffle.postgresql.internal.schema.Migrations;
import dev.blobshuffle.postgresql.internal.schema.SchemaName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

/**
 * The identity and version of a log.
 *
 * @param id identity of the log
 * @param format version of its stored data
 * @param version of the schema
 * @param longestUncommitted the age after which a blob may no longer be committed
 * @param maySweep whether the role may remove data that is no longer needed
 */
record LogInfo(UUID id, int format, int version, Duration longestUncommitted, boolean maySweep) {
    /** The first function that a sweep calls. */
    private static final String SWEEP = "trim_topics()";

    /** The format that this library reads and writes. */
    private static final int FORMAT = 1;

    private static final String ACTION = "open the log";

    /**
     * Reads and checks it.
     *
     * @throws InvalidSettingsException fatal: the schema has no log or a log of another version, or
     *     the role may not use it
     * @throws dev.blobshuffle.log.failure.LogUnavailableException recoverable: the log did not
     *     answer
     */
    static LogInfo read(ConnectionPool pool) {
        try (Connection connection = pool.borrow(ACTION)) {
            requireSettings(connection, pool.uri());
            String schema = pool.uri().schema();
            boolean maySweep = maySweep(connection, schema);
            LogInfo info = FunctionCall.of(connection, schema, "log_info")
                    .one(row -> new LogInfo(
                            row.getObject("log_id", UUID.class),
                            row.getInt("format"),
                            row.getInt("version"),
                            Duration.ofMinutes(row.getInt("max_age")),
                            maySweep));
            if (info.format() != FORMAT) {
                throw new InvalidSettingsException("Cannot " + ACTION + " in " + pool.uri() + ": its format is "
                        + info.format() + ", and this version of BlobShuffle knows " + FORMAT
                        + ". Use a version that knows both.");
            }
            if (info.version() < Migrations.needed()) {
                throw new InvalidSettingsException(
                        "Cannot " + ACTION + " in " + pool.uri() + ": its schema has version "
                                + info.version() + ", and this version of BlobShuffle needs " + Migrations.needed()
                                + ". Run blobshuffle messaging setup as the schema's owner.");
            }
            return info;
        } catch (SQLException e) {
            throw DatabaseFailures.atOpen(ACTION, pool.uri(), e);
        }
    }

    /**
     * Functions that look at the work of other sessions need a new snapshot for each statement. The
     * driver writes arrays with nulls as texts.
     */
    private static void requireSettings(Connection connection, PostgresqlUri uri) throws SQLException {
        try (PreparedStatement query =
                        connection.prepareStatement("select pg_catalog.current_setting('transaction_isolation'),"
                                + " pg_catalog.current_setting('array_nulls')");
                ResultSet row = query.executeQuery()) {
            if (!row.next()) {
                return;
            }
            if (!row.getString(1).equals("read committed")) {
                throw new InvalidSettingsException(
                        "Cannot " + ACTION + " in " + uri + ": transactions of the role begin as "
                                + row.getString(1) + ", and the log needs read committed. Run alter role ROLE set"
                                + " default_transaction_isolation = 'read committed', and set another level in transactions of"
                                + " your own.");
            }
            if (!row.getString(2).equals("on")) {
                throw new InvalidSettingsException("Cannot " + ACTION + " in " + uri
                        + ": the role's array_nulls is off, and a pooler does not pass on that the log needs it. Run"
                        + " alter role ROLE set array_nulls = on.");
            }
        }
    }

    private static boolean maySweep(Connection connection, String schema) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("select coalesce("
                + "pg_catalog.has_function_privilege(pg_catalog.to_regprocedure(?), 'EXECUTE'), false)")) {
            query.setString(1, SchemaName.quoted(schema) + "." + SWEEP);
            try (ResultSet row = query.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }
}
