package dev.blobshuffle.bench.log;

import dev.blobshuffle.core.internal.files.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A PostgreSQL server on this machine, reached as a superuser. Thread-safe.
 *
 * @param port on the loopback interface
 * @param user the superuser
 * @param password of the user
 */
record Database(int port, String user, String password) {
    /** The schema of all measured tables. */
    static final String SCHEMA = "blobshuffle_bench";

    /** A new connection to the schema; each statement is a transaction. */
    Connection connect() throws SQLException {
        Connection connection =
                DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres", user, password);
        connection.setSchema(SCHEMA);
        return connection;
    }

    /** The log in the schema, for module {@code postgresql}. */
    String logUri() {
        try {
            Path file = Files.createTempFile("blobshuffle-bench", ".credentials");
            file.toFile().deleteOnExit();
            PrivateFiles.write(file, "user=" + user + "\npassword=" + password + "\n");
            return "postgresql://127.0.0.1:" + port + "/postgres?schema=" + SCHEMA + "&credentials=" + file;
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write the credentials: " + e.getMessage() + ".", e);
        }
    }

    /** Deletes the schema and everything in it. */
    void drop() throws SQLException {
        execute("drop schema if exists " + SCHEMA + " cascade");
    }

    /** Empties the schema, and flushes earlier writes to disk. */
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
