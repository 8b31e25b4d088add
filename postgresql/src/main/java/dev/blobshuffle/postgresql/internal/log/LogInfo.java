package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.postgresql.internal.connection.ConnectionPool;
import dev.blobshuffle.postgresql.internal.connection.DatabaseFailures;
import dev.blobshuffle.postgresql.internal.schema.Migrations;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

/**
 * What a log says about itself.
 *
 * @param id identity of the log
 * @param format version of what it stores
 * @param version of the schema
 * @param longestUncommitted after this time a blob may not be committed any more
 */
record LogInfo(UUID id, int format, int version, Duration longestUncommitted) {
    /** The version that this library reads and writes. */
    private static final int FORMAT = 1;

    private static final String ACTION = "open the log";

    /**
     * Reads and checks it.
     *
     * @throws InvalidSettings fatal: the schema holds no log, one of another version, or the role
     *     may not use it
     * @throws dev.blobshuffle.core.failure.LogUnavailable recoverable: the log did not answer
     */
    static LogInfo read(ConnectionPool pool) {
        try (Connection connection = pool.borrow(ACTION)) {
            LogInfo info = FunctionCall.of(connection, pool.uri().schema(), "log_info")
                    .one(row -> new LogInfo(
                            row.getObject("log_id", UUID.class),
                            row.getInt("format"),
                            row.getInt("version"),
                            Duration.ofMinutes(row.getInt("max_age"))));
            if (info.format() != FORMAT) {
                throw new InvalidSettings("Cannot " + ACTION + " in " + pool.uri() + ": its format is " + info.format()
                        + ", and this version of BlobShuffle knows " + FORMAT + ". Use a version that knows both.");
            }
            if (info.version() < Migrations.needed()) {
                throw new InvalidSettings("Cannot " + ACTION + " in " + pool.uri() + ": its schema has version "
                        + info.version() + ", and this version of BlobShuffle needs " + Migrations.needed()
                        + ". Run blobshuffle messaging setup as the schema's owner.");
            }
            return info;
        } catch (SQLException e) {
            throw DatabaseFailures.atOpen(ACTION, pool.uri(), e);
        }
    }
}
