package dev.blobshuffle.postgresql.internal.checkup;

import dev.blobshuffle.postgresql.internal.schema.SchemaName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads a few rows of a query. Stateless. */
final class Row {
    private Row() {}

    /** Turns a row into a value. */
    interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /**
     * The values of all rows. The query limits their number. It calls no function of another role:
     * the connection may be an administrator's.
     */
    static <T> List<T> all(Connection database, String query, Reader<T> reader, Object... parameters)
            throws SQLException {
        boolean isAlone = database.getAutoCommit();
        database.setAutoCommit(false);
        List<T> values;
        try (Statement statement = database.createStatement()) {
            statement.execute(SchemaName.OWN_NAMES_ONLY);
            values = values(database, query, reader, parameters);
        } catch (SQLException e) {
            try {
                end(database, isAlone);
            } catch (SQLException second) { // The connection may be broken.
                e.addSuppressed(second);
            }
            throw e;
        }
        end(database, isAlone);
        return values;
    }

    private static void end(Connection database, boolean isAlone) throws SQLException {
        if (isAlone) {
            database.rollback();
            database.setAutoCommit(true);
        }
    }

    private static <T> List<T> values(Connection database, String query, Reader<T> reader, Object... parameters)
            throws SQLException {
        try (PreparedStatement statement = database.prepareStatement(query)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                List<T> values = new ArrayList<>();
                while (rows.next()) {
                    values.add(reader.read(rows));
                }
                return values;
            }
        }
    }

    /** The value of the first row, if there is one. */
    static <T> Optional<T> first(Connection database, String query, Reader<T> reader, Object... parameters)
            throws SQLException {
        return all(database, query, reader, parameters).stream().findFirst();
    }

    /** A name from outside, without control characters that a terminal would obey. */
    static String printable(String name) {
        return name.replaceAll("\\p{Cntrl}", ".");
    }
}
