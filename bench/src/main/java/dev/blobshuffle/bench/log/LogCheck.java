package dev.blobshuffle.bench.log;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Random;

/**
 * Checks that a log holds exactly the acknowledged commits: each publisher's commits once and in
 * their order, at places without holes. Entries begin with their publisher and number. Owned by one
 * thread.
 */
final class LogCheck {
    private final long[] acknowledged;
    private final long[] next;
    private long place;
    private Optional<String> problem = Optional.empty();

    /**
     * A check that has seen nothing.
     *
     * @param acknowledged commits by publisher
     */
    LogCheck(long[] acknowledged) {
        this.acknowledged = acknowledged.clone();
        next = new long[acknowledged.length];
    }

    /** Entries to publish: random bytes, with room for the number. */
    static byte[] entries(int bytes, int publisher) {
        byte[] entries = new byte[bytes];
        new Random(publisher).nextBytes(entries);
        ByteBuffer.wrap(entries).putInt(publisher);
        return entries;
    }

    /** Puts the number into the entries. */
    static void number(byte[] entries, long number) {
        ByteBuffer.wrap(entries).putLong(Integer.BYTES, number);
    }

    /** Reads all of a log. Returns the first problem, if there is one. */
    Optional<String> read(Connection connection, MeasuredLog log) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(log.order())) {
            while (rows.next()) {
                see(rows.getLong(1), rows.getBytes(2));
            }
        }
        return problem();
    }

    /** Checks the next commit of the log. */
    void see(long itsPlace, byte[] head) {
        ByteBuffer buffer = ByteBuffer.wrap(head);
        int publisher = buffer.getInt();
        long number = buffer.getLong();
        if (itsPlace != place) {
            note("place " + itsPlace + " comes where " + place + " should");
        }
        if (number != next[publisher]) {
            note("publisher " + publisher + ": commit " + number + " comes where " + next[publisher] + " should");
        }
        place++;
        next[publisher]++;
    }

    /** The first problem of the commits so far. */
    Optional<String> first() {
        return problem;
    }

    /** The first problem, after the last commit was seen. */
    Optional<String> problem() {
        for (int publisher = 0; publisher < next.length; publisher++) {
            if (next[publisher] != acknowledged[publisher]) {
                note("publisher " + publisher + ": " + acknowledged[publisher] + " commits acknowledged, "
                        + next[publisher] + " stored");
            }
        }
        return problem;
    }

    private void note(String text) {
        problem = problem.or(() -> Optional.of(text));
    }
}
