package dev.blobshuffle.bench.log;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Takes the place of a commit from a row of its topic: {@code topic-lock.sql}. */
final class TopicLockLog implements MeasuredLog {
    @Override
    public void create(Connection connection, String schema) throws SQLException {
        SqlScript.run(connection, "topic-lock.sql");
    }

    @Override
    public Commits open(Connection connection, int number) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into writer values (?, 1, 0)")) {
            insert.setInt(1, number);
            int ignored = insert.executeUpdate();
        }
        return new TopicLockCommits(connection.prepareStatement("select publish(?, 1, ?, 1, ?, ?)"), number);
    }

    @Override
    public boolean sequence(Connection connection) {
        return false;
    }

    @Override
    public String order() {
        return "select seq, substr(entries, 1, 12) from commit_log where topic_id = 1 order by seq";
    }

    private record TopicLockCommits(PreparedStatement publish, int publisher) implements Commits {
        @Override
        public void commit(long number, byte[] entries) throws SQLException {
            publish.setInt(1, publisher);
            publish.setLong(2, number);
            publish.setBytes(3, BlobIds.next());
            publish.setBytes(4, entries);
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
