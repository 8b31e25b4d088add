package dev.blobshuffle.messaging.differential;

import dev.blobshuffle.messaging.Header;
import dev.blobshuffle.messaging.Outbox;
import dev.blobshuffle.messaging.OutgoingRecord;
import dev.blobshuffle.messaging.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Publishes records through the outbox in each way, and predicts the result. */
final class Outboxes {
    private static final int LIMIT = 65_536;
    private static final String FUNCTION = TestDatabase.SCHEMA + ".outbox_publish";

    private static final List<String> TEXTS = List.of(
            "plain",
            "",
            "\\x41",
            "C:\\new\\",
            "it's 'quoted' \"twice\"",
            "{\"path\": \"C:\\\\new\"}",
            "\u65e5\u672c \ud83c\udf89\n\t$1 %s ?");

    /** JSON texts, and their form in jsonb. */
    private static final List<List<String>> JSONS = List.of(
            List.of("{\"state\": \"paid\"}", "{\"state\": \"paid\"}"),
            List.of("{\"b\":2,\"a\":\"C:\\\\new\",\"b\":3}", "{\"a\": \"C:\\\\new\", \"b\": 3}"),
            List.of("[1.50,null,\"it's\"]", "[1.50, null, \"it's\"]"),
            List.of("\"caf\\u00e9 \\ud83c\\udf89\"", "\"caf\u00e9 \ud83c\udf89\""),
            List.of("  17 ", "17"));

    /** How the record is passed to the function. */
    enum Way {
        JAVA("?", "?"),
        BYTES("?::bytea", "?::bytea"),
        TEXT("?::text", "?::text"),
        TEXT_OF_BYTES("?::bytea", "?::text"),
        /** As an untyped literal, as in a file of statements. */
        LITERAL("?::text", ""),
        JSON("?::text", "?::json"),
        JSONB("?::text", "?::jsonb");

        private final String key;
        private final String value;

        Way(String key, String value) {
            this.key = key;
            this.value = value;
        }

        private boolean hasKeyBytes() {
            return key.equals("?") || key.equals("?::bytea");
        }

        private boolean hasValueBytes() {
            return value.equals("?") || value.equals("?::bytea");
        }
    }

    private Outboxes() {}

    /** A call with a record, and the expected result. */
    static Call call(String topic, Way way, Draft draft, int number, OptionalInt partition) {
        OutgoingRecord<byte[], byte[]> record = draft.record(topic, number, partition);
        String key = way.hasKeyBytes() || record.key() == null ? null : "\u043a" + "k".repeat(record.key().length);
        String given = null;
        String arrives = null;
        if (record.value() != null && !way.hasValueBytes()) {
            int size = record.value().length;
            List<String> json = JSONS.get(number % JSONS.size());
            String text = size > 1000 ? "x".repeat(size) : TEXTS.get(number % TEXTS.size());
            given = way == Way.JSON || way == Way.JSONB ? json.get(0) : text;
            arrives = way == Way.JSONB ? json.get(1) : given;
        }
        OutgoingRecord<byte[], byte[]> arriving = new OutgoingRecord<>(
                topic,
                partition,
                draft.time().millis,
                key == null ? record.key() : key.getBytes(StandardCharsets.UTF_8),
                arrives == null ? record.value() : arrives.getBytes(StandardCharsets.UTF_8),
                record.headers());
        return new Call(way, arriving, key, given);
    }

    /**
     * A call.
     *
     * @param arriving the expected record
     * @param key as text; null: as bytes
     * @param value as text; null: as bytes
     */
    record Call(
            Way way,
            OutgoingRecord<byte[], byte[]> arriving,
            @Nullable String key,
            @Nullable String value) {
        /** Bytes of the record in the log: docs/format.md, "Record of the outbox". */
        private int size() {
            int size = 26 + length(arriving.key()) + length(arriving.value());
            for (Header each : arriving.headers()) {
                size += 8 + each.name().getBytes(StandardCharsets.UTF_8).length + length(each.value());
            }
            return size;
        }

        private static int length(byte @Nullable [] bytes) {
            return bytes == null ? 0 : bytes.length;
        }

        String expected(@Nullable ModelTopic topic) {
            if (topic == null) {
                return "throws BS003";
            } else if (arriving.partition().orElse(0) >= topic.partitions() || size() > LIMIT) {
                return "throws BS006";
            }
            return "published";
        }

        String run(Connection connection) throws SQLException {
            if (way == Way.JAVA) {
                Outbox.in(TestDatabase.SCHEMA).publish(connection, arriving);
                return "published";
            }
            String text = value == null ? "null" : "'" + value.replace("'", "''") + "'";
            String shown = way.value.isEmpty() ? text : way.value;
            try (PreparedStatement statement = connection.prepareStatement(
                    "select " + FUNCTION + "(?, " + way.key + ", " + shown + ", ?, ?, ?, ?)")) {
                int at = 1;
                statement.setString(at++, arriving.topic());
                if (way.hasKeyBytes()) {
                    statement.setBytes(at++, arriving.key());
                } else {
                    statement.setString(at++, key);
                }
                if (way.hasValueBytes()) {
                    statement.setBytes(at++, arriving.value());
                } else if (!way.value.isEmpty()) {
                    statement.setString(at++, value);
                }
                List<Header> headers = arriving.headers();
                statement.setArray(
                        at++,
                        connection.createArrayOf(
                                "text", headers.stream().map(Header::name).toArray()));
                statement.setArray(
                        at++,
                        connection.createArrayOf(
                                "bytea", headers.stream().map(Header::value).toArray(byte[][]::new)));
                if (arriving.partition().isPresent()) {
                    statement.setInt(at++, arriving.partition().getAsInt());
                } else {
                    statement.setNull(at++, Types.INTEGER);
                }
                if (arriving.timestamp().isPresent()) {
                    statement.setLong(at, arriving.timestamp().getAsLong());
                } else {
                    statement.setNull(at, Types.BIGINT);
                }
                try (ResultSet result = statement.executeQuery()) {
                    return result.next() ? "published" : "no row";
                }
            }
        }

        ModelRecord record(int number, ModelTopic topic) {
            ModelRecord record = new ModelRecord(number, arriving);
            byte[] hashed = arriving.key();
            if (arriving.partition().isPresent()) {
                record.partition = arriving.partition().getAsInt();
            } else if (hashed != null) {
                record.partition = Writer.partition(hashed, topic.partitions());
            }
            return record;
        }
    }
}
