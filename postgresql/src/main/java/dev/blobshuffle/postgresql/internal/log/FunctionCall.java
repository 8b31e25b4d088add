package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.postgresql.internal.schema.SchemaName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A call of one of the schema's functions. Arguments are numbers, texts, UUIDs, durations, arrays
 * of numbers or bytes, SQL arrays, or null. Owned by one thread.
 */
final class FunctionCall {
    private final Connection connection;
    private final String text;
    private final @Nullable Object[] arguments;
    private boolean isUnreplicated;

    private FunctionCall(Connection connection, String text, @Nullable Object[] arguments) {
        this.connection = connection;
        this.text = text;
        this.arguments = arguments;
    }

    /** A call that returns the function's rows. */
    static FunctionCall of(Connection connection, String schema, String function, @Nullable Object... arguments) {
        return selecting("*", connection, schema, function, arguments);
    }

    /** A call that returns chosen columns. */
    static FunctionCall selecting(
            String columns, Connection connection, String schema, String function, @Nullable Object... arguments) {
        String marks = String.join(", ", Collections.nCopies(arguments.length, "?"));
        return new FunctionCall(
                connection,
                "select " + columns + " from " + SchemaName.quoted(schema) + "." + function + "(" + marks + ") r",
                arguments);
    }

    /**
     * Converts one row.
     *
     * @param <T> the type of the result
     */
    @FunctionalInterface
    interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    <T> List<T> rows(Row<T> row) throws SQLException {
        connection.clearWarnings();
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            for (int index = 0; index < arguments.length; index++) {
                bind(statement, index + 1, arguments[index]);
            }
            List<T> read = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    read.add(row.read(rows));
                }
            }
            SQLWarning warning = statement.getWarnings();
            isUnreplicated =
                    LogFailures.isUnreplicated(warning) || LogFailures.isUnreplicated(connection.getWarnings());
            return read;
        }
    }

    /** The only row. */
    <T> T one(Row<T> row) throws SQLException {
        List<T> rows = rows(row);
        if (rows.size() != 1) {
            throw new SQLException("The function returned " + rows.size() + " rows, not one: " + text);
        }
        return rows.get(0);
    }

    /** The only value; empty if it is null. */
    OptionalLong number() throws SQLException {
        return one(row -> {
            long value = row.getLong(1);
            return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(value);
        });
    }

    /** Ignores the result. */
    void run() throws SQLException {
        List<Optional<Object>> ignored = rows(row -> Optional.empty());
    }

    /** Whether the call committed although its wait for standbys was cancelled. */
    boolean isUnreplicated() {
        return isUnreplicated;
    }

    private static void bind(PreparedStatement statement, int index, @Nullable Object argument) throws SQLException {
        if (argument == null) {
            statement.setNull(index, Types.NULL);
        } else if (argument instanceof Duration duration) {
            // In ISO 8601: PostgreSQL 14 cannot parse intervals of 2^31 milliseconds.
            statement.setObject(index, duration.toString(), Types.OTHER);
        } else {
            statement.setObject(index, argument);
        }
    }
}
