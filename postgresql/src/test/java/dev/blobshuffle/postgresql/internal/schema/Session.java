package dev.blobshuffle.postgresql.internal.schema;

import java.nio.ByteBuffer;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A connection with short methods for the log's functions. Owned by one thread at a time. */
final class Session implements AutoCloseable {
    private static final Executor THREADS = task -> {
        Thread thread = new Thread(task, "session");
        thread.setDaemon(true);
        thread.start();
    };

    private final Connection connection;

    Session(Connection connection) {
        this.connection = connection;
    }

    Connection connection() {
        return connection;
    }

    /** The result of a publish. */
    record Published(String status, List<Long> ids, Long nextNo) {}

    /** The first column of the first row, arrays as lists. */
    @SuppressWarnings("unchecked")
    <T> T value(String sql, Object... arguments) throws SQLException {
        return (T) rows(sql, arguments).get(0).values().iterator().next();
    }

    List<Map<String, Object>> rows(String sql, Object... arguments) throws SQLException {
        try (PreparedStatement statement = prepare(sql, arguments);
                ResultSet found = statement.executeQuery()) {
            List<Map<String, Object>> rows = new ArrayList<>();
            while (found.next()) {
                Map<String, Object> row = new LinkedHashMap<>();
                for (int column = 1; column <= found.getMetaData().getColumnCount(); column++) {
                    row.put(found.getMetaData().getColumnLabel(column), plain(found.getObject(column)));
                }
                rows.add(row);
            }
            return rows;
        }
    }

    /** One column of all rows. */
    @SuppressWarnings("unchecked")
    <T> List<T> column(String sql, Object... arguments) throws SQLException {
        return rows(sql, arguments).stream()
                .map(row -> (T) row.values().iterator().next())
                .toList();
    }

    void execute(String sql, Object... arguments) throws SQLException {
        try (PreparedStatement statement = prepare(sql, arguments)) {
            statement.execute();
        }
    }

    /** The same in another thread, for a call that must wait. */
    <T> CompletableFuture<T> later(String sql, Object... arguments) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return value(sql, arguments);
                    } catch (SQLException e) {
                        throw new IllegalStateException(e.getSQLState() + " " + e.getMessage(), e);
                    }
                },
                THREADS);
    }

    int pid() throws SQLException {
        return value("select pg_backend_pid()");
    }

    void begin() throws SQLException {
        connection.setAutoCommit(false);
    }

    void commit() throws SQLException {
        connection.commit();
        connection.setAutoCommit(true);
    }

    void rollback() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    int topic(String name) throws SQLException {
        return topic(name, "forever", null);
    }

    int topic(String name, String retention, Long millis) throws SQLException {
        return this.<Integer>value("select create_topic(?, 2, ?, ?::bigint)", name, retention, millis);
    }

    /** Opens a writer. */
    Map<String, Object> writer(String name) throws SQLException {
        return rows("select * from init_writer(?)", name).get(0);
    }

    /** Publishes one batch per topic, with a blob for all of them or without. */
    Published publish(long writer, int epoch, long first, List<Integer> topics, List<byte[]> blobs)
            throws SQLException {
        int n = topics.size();
        List<byte[]> references = new ArrayList<>();
        List<Integer> of = new ArrayList<>();
        for (int batch = 1; batch <= n; batch++) {
            references.addAll(blobs);
            of.addAll(Collections.nCopies(blobs.size(), batch));
        }
        return published(
                "select * from publish(?, ?, ?, ?, ?, ?, ?, ?, ?, null, null, null, null, null, null, null)",
                writer,
                epoch,
                first,
                topics.toArray(Integer[]::new),
                Collections.nCopies(n, 10L).toArray(Long[]::new),
                Collections.nCopies(n, 5L).toArray(Long[]::new),
                topics.stream().map(topic -> new byte[] {1, 2, 3}).toArray(byte[][]::new),
                references.toArray(byte[][]::new),
                of.toArray(Integer[]::new));
    }

    Published publish(long writer, int epoch, long first, int... topics) throws SQLException {
        return publish(writer, epoch, first, Arrays.stream(topics).boxed().toList(), List.of());
    }

    /** Publishes positions of partition 0 of a topic, and no batch. */
    Published publishPosition(
            long writer, int epoch, long first, String group, UUID member, int topic, long generation, long position)
            throws SQLException {
        return published(
                "select * from publish(?, ?, ?, '{}', '{}', '{}', '{}', '{}', '{}', ?, ?, ?, '{0}', ?, ?, '{m}')",
                writer, epoch, first, group, member, new Integer[] {topic}, new Long[] {generation}, new Long[] {
                    position
                });
    }

    private Published published(String sql, Object... arguments) throws SQLException {
        Map<String, Object> row = rows(sql, arguments).get(0);
        @SuppressWarnings("unchecked")
        List<Long> ids = (List<Long>) row.get("ids");
        return new Published((String) row.get("status"), ids, (Long) row.get("next_no"));
    }

    /** The id of a blob of a generation. */
    static byte[] blob(long generation, long sequence) {
        return ByteBuffer.allocate(20)
                .putInt((int) generation)
                .putLong(7)
                .putLong(sequence)
                .array();
    }

    private PreparedStatement prepare(String sql, Object... arguments) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < arguments.length; i++) {
            statement.setObject(i + 1, sqlValue(arguments[i]));
        }
        return statement;
    }

    private Object sqlValue(Object value) throws SQLException {
        if (value instanceof Integer[] array) {
            return connection.createArrayOf("int4", array);
        }
        if (value instanceof Long[] array) {
            return connection.createArrayOf("int8", array);
        }
        if (value instanceof byte[][] array) {
            return connection.createArrayOf("bytea", array);
        }
        if (value instanceof UUID[] array) {
            return connection.createArrayOf("uuid", array);
        }
        if (value instanceof String[] array) {
            return connection.createArrayOf("text", array);
        }
        return value;
    }

    private static Object plain(Object value) throws SQLException {
        return value instanceof Array array ? Arrays.asList((Object[]) array.getArray()) : value;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
