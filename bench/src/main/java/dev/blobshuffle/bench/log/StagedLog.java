package dev.blobshuffle.bench.log;

import dev.blobshuffle.postgresql.internal.schema.Migrations;
import dev.blobshuffle.postgresql.internal.schema.SchemaName;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The functions of module {@code postgresql}, called as its own client does. */
final class StagedLog implements MeasuredLog {
    private static final String PUBLISH = "select status from publish(?, ?, ?, '{1}', ?, ?, ?, ?, '{1}',"
            + " null, null, null, null, null, null, null)";

    @Override
    public void create(Connection connection, String schema) throws SQLException {
        new Migrations(new SchemaName(schema)).apply(connection);
        try (Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute("select create_topic('bench', 288, 'forever', null)");
        }
    }

    @Override
    public Commits open(Connection connection, int number) throws SQLException {
        try (PreparedStatement init = connection.prepareStatement("select writer_id, epoch from init_writer(?)")) {
            init.setString(1, "publisher-" + number);
            try (ResultSet writer = init.executeQuery()) {
                boolean ignored = writer.next();
                return new StagedCommits(
                        connection, connection.prepareStatement(PUBLISH), writer.getLong(1), writer.getInt(2));
            }
        }
    }

    @Override
    public boolean sequence(Connection connection) throws SQLException {
        try (PreparedStatement call = connection.prepareStatement("select sequence_topic(1)");
                ResultSet moved = call.executeQuery()) {
            return moved.next() && moved.getLong(1) > 0;
        }
    }

    @Override
    public String order() {
        return "select o.seq, substr(b.entries, 1, 12) from commit_order o join batch b using (id)"
                + " where o.topic_id = 1 order by o.seq";
    }

    private record StagedCommits(Connection connection, PreparedStatement publish, long writer, int epoch)
            implements Commits {
        @Override
        public void commit(long number, byte[] entries) throws SQLException {
            publish.setLong(1, writer);
            publish.setInt(2, epoch);
            publish.setLong(3, number);
            publish.setArray(4, array("int8", new Object[] {(long) entries.length}));
            publish.setArray(5, array("int8", new Object[] {System.currentTimeMillis()}));
            publish.setArray(6, array("bytea", new byte[][] {entries}));
            publish.setArray(7, array("bytea", new byte[][] {BlobIds.next()}));
            try (ResultSet result = publish.executeQuery()) {
                if (!result.next() || !result.getString(1).equals("OK")) {
                    throw new SQLException("Cannot publish number " + number + ": the log says " + result.getString(1));
                }
            }
        }

        private Array array(String type, Object[] values) throws SQLException {
            return connection.createArrayOf(type, values);
        }

        @Override
        public void close() throws SQLException {
            publish.close();
        }
    }
}
