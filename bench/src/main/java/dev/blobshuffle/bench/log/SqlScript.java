package dev.blobshuffle.bench.log;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** SQL from a file beside this class. */
final class SqlScript {
    private SqlScript() {}

    /** Runs all statements of a file. */
    static void run(Connection connection, String file) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute(text(file));
        }
    }

    private static String text(String file) {
        try (InputStream in = SqlScript.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("Cannot read " + file + ": it is not on the class path. Build again.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
