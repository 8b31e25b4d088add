package dev.blobshuffle.cli.tail;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.cli.BlobTopic;
import dev.blobshuffle.cli.inspect.InspectCommand;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs {@code tail} on a real broker and a file store, with records of a real producer. */
class TailIT {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    @TempDir
    private Path store;

    private final StringWriter out = new StringWriter();

    /** Creates a topic with two notifications, one of five records and one of three. */
    private BlobTopic shuffled(String kind, String value) {
        BlobTopic topic = new BlobTopic(store, kind);
        try (Producer<String, String> producer = topic.producer("blobshuffle.inline.max.bytes", "0")) {
            for (int i = 0; i < 8; i++) {
                producer.send(new ProducerRecord<>(topic.name(), 0, "k" + i, value + i));
                if (i == 4) {
                    producer.flush();
                }
            }
        }
        return topic;
    }

    private BlobTopic.Outcome tail(BlobTopic topic, String... more) {
        List<String> arguments = new ArrayList<>(List.of("--topic", topic.name()));
        arguments.addAll(List.of(more));
        return topic.run(new TailCommand(), store, out, arguments.toArray(String[]::new));
    }

    private static List<JsonNode> objects(String text) {
        return text.lines()
                .map(line -> {
                    try {
                        return new ObjectMapper().readTree(line);
                    } catch (IOException e) {
                        throw new AssertionError(line, e);
                    }
                })
                .toList();
    }

    @Test
    void recordsAreThoseThatAConsumerSees() {
        BlobTopic topic = shuffled("seen", "value ");
        List<ConsumerRecord<String, String>> read;
        TopicPartition partition = new TopicPartition(topic.name(), 0);
        try (Consumer<String, String> consumer = topic.consumer()) {
            consumer.assign(List.of(partition));
            read = BlobTopic.read(consumer, 8);
        }

        BlobTopic.Outcome outcome = tail(topic, "--last", "5", "--show-data", "--json");

        assertThat(outcome.status()).as(outcome.text()).isZero();
        List<JsonNode> shown = objects(outcome.text());
        assertThat(shown).hasSize(5);
        for (int i = 0; i < 5; i++) {
            ConsumerRecord<String, String> expected = read.get(3 + i);
            assertThat(shown.get(i).get("virtual_offset").asLong()).isEqualTo(expected.offset());
            assertThat(shown.get(i).get("timestamp_ms").asLong()).isEqualTo(expected.timestamp());
            assertThat(shown.get(i).get("key").asText()).isEqualTo(expected.key());
            assertThat(shown.get(i).get("value").asText()).isEqualTo(expected.value());
        }
    }

    @Test
    void keysAndValuesAreShownOnlyWhenAskedFor() {
        BlobTopic topic = shuffled("private", "secret ");
        assertThat(tail(topic).text())
                .contains("key 2 B, value 8 B", "record 5/5", "record 3/3")
                .doesNotContain("secret");
        out.getBuffer().setLength(0);
        assertThat(tail(topic, "--json").text()).contains("\"value_bytes\": 8").doesNotContain("secret");
    }

    @Test
    void aValueCannotCommandTheTerminal() {
        BlobTopic topic = shuffled("hostile", "\u001b[2J\u202e\n\u009b31m");
        String text = tail(topic, "--show-data", "--last", "1").text();
        assertThat(text).contains("\\u001b[2J\\u202e\\u000a\\u009b31m7");
        assertThat(text.lines()).hasSize(1);
        assertThat(text).doesNotContain("\u001b", "\u202e", "\u009b");
    }

    @Test
    void valuesAreDecodedBySerdeAndCutToALength() {
        BlobTopic topic = shuffled("decoded", "12345678901234567890");
        assertThat(tail(topic, "--show-data", "--last", "1", "--value-serde", "bytes", "--longest", "6")
                        .text())
                .contains("key 2 B \"k7\", value 21 B 0x3132…");
        out.getBuffer().setLength(0);
        // The length is not that of a number, so the command prints the bytes.
        assertThat(tail(topic, "--show-data", "--last", "1", "--value-serde", "long")
                        .text())
                .contains("value 21 B 0x3132");
        out.getBuffer().setLength(0);
        assertThat(tail(topic, "--value-serde", "acme").text()).contains("Cannot decode with serde 'acme'", "uuid");
    }

    @Test
    void plainRecordsAreShownBesideShuffledOnes() {
        BlobTopic topic = shuffled("mixed", "v");
        try (Producer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic.name(), 0, "plain", "as it is"));
        }
        assertThat(tail(topic, "--last", "2", "--show-data").text().lines())
                .hasSize(2)
                .anyMatch(line -> line.contains("record 3/3"))
                .anyMatch(line -> line.contains("\"as it is\"") && line.endsWith("plain"));
    }

    @Test
    void withoutAStoreNotificationsAreShown() {
        BlobTopic topic = shuffled("storeless", "v");
        int status = new CommandLine(new TailCommand())
                .setOut(new PrintWriter(out))
                .execute("--bootstrap", KAFKA.bootstrapServers(), "--topic", topic.name());
        assertThat(status).isZero();
        assertThat(out.toString()).contains("notification of 5 records", "notification of 3 records");
    }

    @Test
    void followingShowsWhatComesAndEnds() {
        BlobTopic topic = shuffled("followed", "v");
        assertThat(tail(topic, "--follow", "--times", "2").text().lines()).hasSize(8);
    }

    @Test
    void aDamagedBlobIsNamedAndTheOthersAreShown() throws IOException {
        BlobTopic topic = shuffled("damaged", "v");
        String blob = objects(tail(topic, "--json").text()).get(0).get("blob").asText();
        String[] parts = blob.split("-"); // Owner and generation are directories.
        String name = parts[parts.length - 2] + "-" + parts[parts.length - 1] + ".blob";
        Path file = LiveFiles.blobs(store).stream()
                .filter(path -> path.getFileName().toString().equals(name))
                .findFirst()
                .orElseThrow();
        Files.write(file, "not a blob".getBytes(StandardCharsets.UTF_8));
        out.getBuffer().setLength(0);

        BlobTopic.Outcome outcome = tail(topic);

        assertThat(outcome.status()).isEqualTo(1);
        assertThat(outcome.text()).contains("UNREADABLE", "record 3/3");
    }

    @Test
    void aBlobIsInspectedByItsId() {
        BlobTopic topic = shuffled("inspected", "v");
        String blob = objects(tail(topic, "--json").text()).get(0).get("blob").asText();
        assertThat(inspect("--store", store.toUri().toString(), blob, "--records", "1"))
                .isZero();
        assertThat(out.toString()).contains("Sound: ", topic.name(), "key 2 bytes");
        assertThat(inspect("--store", store.toUri().toString(), "1-00000000000000ff-1"))
                .isEqualTo(1);
        assertThat(inspect("--store", store.toUri().toString(), "../../etc/passwd"))
                .isEqualTo(2);
        assertThat(out.toString()).contains("1-00000000000000ff-1", "that is not an id");
    }

    private int inspect(String... arguments) {
        PrintWriter writer = new PrintWriter(out);
        return new CommandLine(new InspectCommand())
                .setOut(writer)
                .setErr(writer)
                .execute(arguments);
    }

    @Test
    void whatIsNotThereHasAClearAnswer() {
        BlobTopic topic = shuffled("absent", "v");
        assertThat(tail(topic, "--partition", "7").status()).isEqualTo(2);
        assertThat(out.toString()).contains("it has 1 partitions, and not all of [7]");
        assertThat(tail(topic, "--last", "0").status()).isEqualTo(2);
        PrintWriter writer = new PrintWriter(out);
        int status = new CommandLine(new TailCommand())
                .setErr(writer)
                .execute("--bootstrap", KAFKA.bootstrapServers(), "--topic", "nobody-wrote-this");
        assertThat(status).isEqualTo(2);
        assertThat(out.toString()).contains("there is no such topic");
    }
}
