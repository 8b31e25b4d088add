package dev.blobshuffle.postgresql.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishing from the caller's own transaction, whatever its search_path and isolation are. */
class OutboxFunctionsIT extends LogSchemaFixture {
    private String publish;
    private Session caller;

    private void useOutbox() throws SQLException {
        client.topic("t");
        publish = "select " + log.quoted() + ".outbox_publish('t', 'key', 'value')";
        caller = log.stranger();
        caller.execute("create temp table orders (n int)");
        caller.execute("create temp table batch (n int)");
        caller.execute("create temp table inbox (n int)");
        caller.execute("set search_path to pg_temp, public");
    }

    @Test
    void itCommitsAndRollsBackWithTheCallersRows() throws SQLException {
        useOutbox();
        caller.begin();
        caller.execute("insert into orders values (1)");
        caller.execute(publish);
        caller.rollback();
        assertThat(log.count("batch")).isZero();

        caller.begin();
        caller.execute("insert into orders values (2)");
        caller.execute(publish);
        assertThat(caller.<String>value("show search_path")).isEqualTo("pg_temp, public");
        assertThat(caller.<String>value("show idle_in_transaction_session_timeout"))
                .as("the caller's transaction is its own")
                .isEqualTo("0");
        caller.commit();

        assertThat(log.count("batch")).isEqualTo(1);
        assertThat(log.count("inbox")).isEqualTo(1);
        assertThat(caller.<Long>value("select count(*) from batch")).isZero();
    }

    @Test
    void itWorksInEveryIsolation() throws SQLException {
        useOutbox();
        for (int isolation : new int[] {
            Connection.TRANSACTION_READ_COMMITTED,
            Connection.TRANSACTION_REPEATABLE_READ,
            Connection.TRANSACTION_SERIALIZABLE
        }) {
            caller.connection().setTransactionIsolation(isolation);
            caller.begin();
            caller.execute(publish);
            caller.commit();
        }

        assertThat(client.<Long>value("select sequence_topic(1)")).isEqualTo(3);
    }

    /** Records have the order of the rows that their transactions have locked before. */
    @Test
    void publishingAfterTheLockKeepsTheOrderOfTheRows() throws Exception {
        useOutbox();
        log.owner().execute("create table account (n int)");
        log.owner().execute("insert into account values (0)");
        Session first = log.owner();
        first.begin();
        first.execute("update account set n = 1");
        Session second = log.client();
        log.owner().execute("grant all on account to \"" + log.clientRole.replace("\"", "\"\"") + "\"");
        first.commit();
        first.begin();
        first.execute("update account set n = 2");
        long firstId = first.<Long>value(publish);
        second.begin();
        CompletableFuture<Long> secondId =
                second.later("with a as (update account set n = 3 returning n) select n::bigint from a");
        first.commit();
        secondId.get(20, TimeUnit.SECONDS);
        long later = second.<Long>value(publish);
        second.commit();

        assertThat(firstId).isLessThan(later);
    }

    @Test
    void aMissingTopicAndTooMuchAreRefused() throws SQLException {
        useOutbox();
        assertFails("BS003", () -> caller.execute(publish.replace("'t'", "'missing'")));
        assertFails("BS006", () -> caller.execute(publish.replace("'value'", "repeat('x', 65537)")));
        assertFails("42883", () -> caller.execute(publish.replace("'value'", "42")));
    }

    /** Unchecked entries would stop every reader of the topic. */
    @Test
    void clientsCannotAddRawEntries() throws SQLException {
        useOutbox();
        String raw = "select " + log.quoted() + ".add_entries('t', '\\x01', 1, 1)";
        assertFails("42501", () -> caller.execute(raw));
        assertFails("42883", () -> caller.execute(raw.replace("add_entries", "outbox_publish")));
    }

    /** A subscriber gets exactly the text between the quotes. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"state\": \"paid\"}",
                "{\"path\": \"C:\\\\new\", \"n\": 1}",
                "{\"text\": \"line1\\nline2\"}",
                "{\"q\": \"say \\\"hi\\\"\"}",
                "{\"oct\": \"a\\\\101b\"}",
                "\\x41",
                "\\",
                "it''s",
                "{\"u\": \"caf\\u00e9, \u65e5\u672c\u8a9e \ud83c\udf89\"}",
                ""
            })
    void aLiteralIsPublishedAsItIsWritten(String literal) throws SQLException {
        useOutbox();
        for (String setting : List.of("on", "off")) {
            caller.execute("set standard_conforming_strings to " + setting);
            String quoted = setting.equals("on") ? "'" + literal + "'" : "'" + literal.replace("\\", "\\\\") + "'";
            caller.execute(publish.replace("'value'", quoted).replace("'key'", quoted));
        }

        byte[] expected = literal.replace("''", "'").getBytes(StandardCharsets.UTF_8);
        assertThat(contents()).containsExactly(expected, expected, expected, expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'a\\b'::text           | a\\b",
                "'a\\b'::varchar        | a\\b",
                "'{\"b\\\\\":1 }'::json  | {\"b\\\\\":1 }",
                "'{\"b\\\\\":1 }'::jsonb | {\"b\\\\\": 1}",
                "'null'::jsonb          | null",
                "'\\x41'::bytea         | A",
                "'A'                    | A"
            })
    void eachTypeOfValueHasItsBytes(String value, String expected) throws SQLException {
        useOutbox();
        for (String key : List.of("'A'", "'A'::text", "'\\x41'::bytea")) {
            caller.execute(publish.replace("'key'", key).replace("'value'", value));
        }

        byte[] bytes = expected.getBytes(StandardCharsets.UTF_8);
        byte[] key = {'A'};
        assertThat(contents()).containsExactly(key, bytes, key, bytes, key, bytes);
    }

    @Test
    void aNullOfAnyTypeIsNoValue() throws SQLException {
        useOutbox();
        for (String type : List.of("null", "null::text", "null::json", "null::jsonb", "null::bytea")) {
            caller.execute(publish.replace("'key'", "null").replace("'value'", type));
        }

        assertThat(contents()).hasSize(10).containsOnlyNulls();
    }

    @Test
    void namedArgumentsAndBoundOnesWork() throws SQLException {
        useOutbox();
        caller.execute("select " + log.quoted() + ".outbox_publish(topic => 't', value => 'v', key => 'k',"
                + " header_names => '{a}', header_values => '{\\\\x01}', partition => 1, created => 5)");
        caller.execute("select " + log.quoted() + ".outbox_publish(?, ?, ?)", "t", "k", "v");
        caller.execute("select " + log.quoted() + ".outbox_publish(?, ?, ?)", "t", bytes("k"), bytes("v"));

        assertThat(contents()).containsExactly(bytes("k"), bytes("v"), bytes("k"), bytes("v"), bytes("k"), bytes("v"));
    }

    /** Key and value of each record, in the order of their ids (docs/format.md). */
    private List<byte[]> contents() throws SQLException {
        List<byte[]> contents = new ArrayList<>();
        for (byte[] entries : log.owner().<byte[]>column("select entries from batch order by id")) {
            ByteBuffer in = ByteBuffer.wrap(entries, 14, entries.length - 14);
            contents.add(content(in));
            contents.add(content(in));
        }
        return contents;
    }

    private static byte[] content(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0) {
            return null;
        }
        byte[] content = new byte[length];
        in.get(content);
        return content;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
