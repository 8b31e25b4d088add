package dev.blobshuffle.cli.messaging;

import static dev.blobshuffle.cli.messaging.LogDatabase.CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.cli.messaging.LogDatabase.Outcome;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands that publish, read and delete records, on a real server and a file store. */
class MessagingRecordsIT {
    @TempDir
    private static Path directory;

    private static LogDatabase database;
    private static String store;

    @BeforeAll
    static void start() throws Exception {
        database = LogDatabase.shared(directory);
        database.setUp();
        store = directory.resolve("blobs").toUri() + "?fsync=none";
        assertThat(LogDatabase.command("doctor", "--store", store, "--create", "--execute", "--samples", "1")
                        .status())
                .isZero();
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    private static Outcome run(String... arguments) {
        return database.run(
                CLIENT,
                Stream.concat(Arrays.stream(arguments), Stream.of("--store", store))
                        .toArray(String[]::new));
    }

    private static Outcome produce(byte[] lines, String... arguments) {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(lines));
        try {
            return run(Stream.concat(Stream.of("produce"), Arrays.stream(arguments))
                    .toArray(String[]::new));
        } finally {
            System.setIn(before);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void linesComeBackWithTheirKeysAndCannotCommandTheTerminal() throws Exception {
        database.run(CLIENT, "topics", "create", "lines");
        Outcome produced = produce(bytes("a:1\nb:x:y\r\n\u001b[31m:\u00ff\n:\nlast:"), "lines", "--key-separator", ":");
        assertThat(produced.status()).as(produced.err()).isZero();
        assertThat(produced.out()).isEqualTo("Published 5 records to topic lines.\n");

        Outcome consumed = run("consume", "lines", "--max", "5", "--format", "%k\\t%v");
        assertThat(consumed.status()).as(consumed.err()).isZero();
        assertThat(consumed.out()).isEqualTo("a\t1\nb\tx:y\n\\u001b[31m\t0xff\n\t\nlast\t\n");
        assertThat(database.run(CLIENT, "groups", "list").out()).doesNotContain("consume-");

        Outcome json = run("consume", "lines", "--max", "5", "--json");
        JsonNode third = new ObjectMapper()
                .readTree(json.out().lines().skip(2).findFirst().orElseThrow());
        assertThat(third.get("key").asText()).isEqualTo("\u001b[31m");
        assertThat(third.get("value_base64").asText()).isEqualTo("/w==");
        Outcome shown = run("tail", "lines", "--show-data");
        assertThat(shown.out())
                .contains("by produce-", "5 records", "key \"a\", value \"1\"", "value 0xff")
                .doesNotContain("\u001b");
    }

    @Test
    void aGroupGoesOnWhereItStopped() throws Exception {
        database.run(CLIENT, "topics", "create", "numbers");
        assertThat(produce(bytes("1\n2\n3\n"), "numbers").status()).isZero();

        assertThat(run("consume", "numbers", "--group", "g", "--max", "2").out())
                .isEqualTo("1\n2\n");
        assertThat(run("consume", "numbers", "--group", "g", "--idle", "1s").out())
                .isEqualTo("3\n");
        assertThat(database.run(CLIENT, "lag", "--group", "g").out()).contains("numbers");
    }

    @Test
    void wrongLinesTopicsAndFormatsAreSaidSo() {
        Outcome absent = produce(bytes("x\n"), "absent");
        assertThat(absent.status()).isEqualTo(2);
        assertThat(absent.err()).contains("Cannot publish to topic absent: it does not exist.");
        database.run(CLIENT, "topics", "create", "strict");
        Outcome unkeyed = produce(bytes("a=1\nsecret\n"), "strict", "--key-separator", "=");
        assertThat(unkeyed.status()).isOne();
        assertThat(unkeyed.err()).contains("Cannot publish line 2").doesNotContain("secret");
        Outcome unread = run("consume", "strict", "absent", "--idle", "1s");
        assertThat(unread.status()).isEqualTo(2);
        assertThat(unread.err()).contains("Cannot read topic absent: it does not exist.");
        assertThat(run("consume", "strict", "--format", "%x").err()).contains("it has no part %x");
    }

    @Test
    void gcSaysWhatItWouldDo() throws Exception {
        database.run(CLIENT, "topics", "create", "old", "--retention", "1ms");
        assertThat(produce(bytes("x\n"), "old").status()).isZero();
        // The reader gives the batch its place, unless the publisher already has.
        assertThat(run("consume", "old", "--max", "1").out()).isEqualTo("x\n");

        JsonNode look = new ObjectMapper().readTree(run("gc", "--json").out()).get("gc");
        assertThat(look.get("executed").asBoolean()).isFalse();
        assertThat(look.get("trimmed_batches").asLong()).isEqualTo(1);
        JsonNode done = new ObjectMapper()
                .readTree(run("gc", "--json", "--execute").out())
                .get("gc");
        assertThat(done.get("trimmed_batches").asLong()).isEqualTo(1);
        assertThat(done.get("deleted_blobs").asLong()).isZero();
        assertThat(run("gc", "--objection", "1s").err()).contains("Give 5m or more.");
        assertThat(run("gc", "--only-log").err()).contains("requires --execute. Give both.");
    }
}
