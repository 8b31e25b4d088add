package dev.blobshuffle.messaging;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;

/**
 * Publishes records in the caller's own database transaction, if the caller's tables are in the
 * log's database. Rows and records are committed together, without a publisher. The records are
 * stored in the log itself, up to 64 KiB each, so use it for few and small records. Immutable.
 *
 * <p>Order: the call determines the place of a record. If two transactions change the same rows,
 * their records keep the transactions' order if each publishes after it has locked the rows.
 *
 * <p>Other languages call the database function:
 * {@code select log.outbox_publish('orders', key, value)}.
 */
public final class Outbox {
    private final String call;

    private Outbox(String call) {
        this.call = call;
    }

    /**
     * The outbox of a log.
     *
     * @param schema the log's schema; the role of the connection needs the rights of its clients
     */
    public static Outbox in(String schema) {
        if (schema.isEmpty() || schema.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "Cannot use the outbox: the schema has no legal name. Give the log's schema.");
        }
        String quoted = '"' + schema.replace("\"", "\"\"") + '"';
        return new Outbox("select " + quoted + ".outbox_publish(?, ?, ?, ?, ?, ?, ?)");
    }

    /**
     * Publishes a record. It becomes visible when the caller commits.
     *
     * @param connection with an open transaction
     * @return the record's number in the log
     * @throws SQLException the transaction must be rolled back; state {@code BS003} means that the
     *     topic does not exist, {@code BS006} that the record is too large or the partition does
     *     not exist
     */
    public long publish(Connection connection, OutgoingRecord<byte[], byte[]> record) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(call)) {
            statement.setString(1, record.topic());
            statement.setBytes(2, record.key());
            statement.setBytes(3, record.value());
            Array names = connection.createArrayOf(
                    "text", record.headers().stream().map(Header::name).toArray(String[]::new));
            Array values = connection.createArrayOf(
                    "bytea", record.headers().stream().map(Header::value).toArray(byte[][]::new));
            statement.setArray(4, names);
            statement.setArray(5, values);
            if (record.partition().isPresent()) {
                statement.setInt(6, record.partition().getAsInt());
            } else {
                statement.setNull(6, Types.INTEGER);
            }
            if (record.timestamp().isPresent()) {
                statement.setLong(7, record.timestamp().getAsLong());
            } else {
                statement.setNull(7, Types.BIGINT);
            }
            try (ResultSet result = statement.executeQuery()) {
                if (!result.next()) {
                    throw new SQLException(
                            "Cannot publish to " + record.topic() + ": outbox_publish returned nothing.");
                }
                return result.getLong(1);
            } finally {
                names.free();
                values.free();
            }
        }
    }
}
