package dev.blobshuffle.bench.log;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A PostgreSQL server, reached as a superuser. Thread-safe.
 *
 * @param url for JDBC, with user and password
 */
public record Database(String url) {
    /** The schema of all that is measured. */
    static final String SCHEMA = "blobshuffle_bench";

    /** A new connection to the schema; each statement is a transaction. */
    Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        connection.setSchema(SCHEMA);
        return connection;
    }

    /** Deletes the schema with all that is in it. */
    void drop() throws SQLException {
        execute("drop schema if exists " + SCHEMA + " cascade");
    }

    /** Makes the schema empty, and writes what was written before to disk. */
    void clear() throws SQLException {
        drop();
        execute("create schema " + SCHEMA);
        execute("checkpoint");
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute(sql);
        }
    }

    /** The number that a query returns. */
    static long number(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }
}
