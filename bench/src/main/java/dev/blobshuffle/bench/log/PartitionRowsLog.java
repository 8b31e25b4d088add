package dev.blobshuffle.bench.log;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Takes an offset per partition of a commit, and stores a row for each: {@code partition-rows.sql}.
 * A commit has one record for each of 288 partitions.
 */
final class PartitionRowsLog implements MeasuredLog {
    private static final int PARTITIONS = 288;

    @Override
    public void create(Connection connection, String schema) throws SQLException {
        SqlScript.run(connection, "partition-rows.sql");
        try (PreparedStatement insert = connection.prepareStatement(
                "insert into partition_end select 1, p, 0 from generate_series(0, ? - 1) p")) {
            insert.setInt(1, PARTITIONS);
            int ignored = insert.executeUpdate();
        }
    }

    @Override
    public Commits open(Connection connection, int number) throws SQLException {
        Object[] parts = IntStream.range(0, PARTITIONS).boxed().toArray();
        Object[] lengths = new Object[PARTITIONS];
        Arrays.fill(lengths, 12); // The size of an entry in our own format.
        return new PartitionCommits(
                connection.prepareStatement("select publish(1, ?, ?, ?, ?)"),
                connection.createArrayOf("int", parts),
                connection.createArrayOf("int", lengths));
    }

    @Override
    public boolean sequence(Connection connection) {
        return false;
    }

    /** A commit has the same place in all partitions. */
    @Override
    public String order() {
        return "select max(r.first_offset), f.head from run r join file f using (file_id)"
                + " where r.topic_id = 1 group by f.file_id"
                + " having count(distinct r.part) = " + PARTITIONS + " and min(r.first_offset) = max(r.first_offset)"
                + " order by 1";
    }

    private record PartitionCommits(PreparedStatement publish, Array parts, Array lengths) implements Commits {
        @Override
        public void commit(long number, byte[] entries) throws SQLException {
            publish.setBytes(1, BlobIds.next());
            publish.setBytes(2, Arrays.copyOf(entries, LogPlan.HEAD_BYTES));
            publish.setArray(3, parts);
            publish.setArray(4, lengths);
            try (ResultSet result = publish.executeQuery()) {
                boolean ignored = result.next();
            }
        }

        @Override
        public void close() throws SQLException {
            publish.close();
        }
    }
}
