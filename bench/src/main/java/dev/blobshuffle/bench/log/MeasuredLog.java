package dev.blobshuffle.bench.log;

import java.sql.Connection;
import java.sql.SQLException;

/** A log whose commits are counted, in a schema of its own. Stateless. */
interface MeasuredLog {
    /**
     * Creates its tables and functions, and a topic.
     *
     * @param connection to the schema
     * @param schema its name; it is empty
     */
    void create(Connection connection, String schema) throws SQLException;

    /**
     * Opens a publisher.
     *
     * @param connection of its own
     * @param number the publisher's
     */
    Commits open(Connection connection, int number) throws SQLException;

    /**
     * Puts staged commits into an order.
     *
     * @return whether there may be more
     */
    boolean sequence(Connection connection) throws SQLException;

    /**
     * A query for the commits of the log, in order: place, from 0 without holes, and the first
     * bytes of the entries.
     */
    String order();

    /** The commits of a publisher. Owned by one thread. */
    interface Commits extends AutoCloseable {
        /** Commits entries, and returns when the database has acknowledged them. */
        void commit(long number, byte[] entries) throws SQLException;

        @Override
        void close() throws SQLException;
    }
}
