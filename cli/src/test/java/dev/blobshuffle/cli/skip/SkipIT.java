package dev.blobshuffle.cli.skip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.cli.BlobTopic;
import dev.blobshuffle.cli.BlobTopic.Outcome;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code skip} on a real broker and a file store from which the test has removed blobs. */
class SkipIT {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    @TempDir
    private Path store;

    private BlobTopic shared;
    private String topic;
    private TopicPartition partition;

    @BeforeEach
    void createTopic() {
        shared = new BlobTopic(store, "skipped");
        topic = shared.name();
        partition = new TopicPartition(topic, 0);
    }

    /**
     * Writes one blob with two records per value. The blob's notification is at the offset of its
     * index.
     */
    private void write(String... values) {
        try (Producer<String, String> producer = shared.producer()) {
            for (String value : values) {
                producer.send(new ProducerRecord<>(topic, 0, "k", value + "1"));
                producer.send(new ProducerRecord<>(topic, 0, "k", value + "2"));
                producer.flush();
            }
        }
    }

    /** Removes the blob with this sequence number. */
    private void lose(int sequence) throws IOException {
        Files.delete(LiveFiles.blobs(store).stream()
                .filter(file -> file.toString().endsWith("-" + sequence + ".blob"))
                .findFirst()
                .orElseThrow());
    }

    private Consumer<String, String> consumer(Object... more) {
        List<Object> settings = new ArrayList<>(List.of("group.id", topic, "enable.auto.commit", false));
        settings.addAll(Arrays.asList(more));
        Consumer<String, String> consumer = shared.consumer(settings.toArray());
        consumer.assign(List.of(partition));
        return consumer;
    }

    private static List<String> values(List<ConsumerRecord<String, String>> records) {
        return records.stream().map(ConsumerRecord::value).toList();
    }

    private void commitAt(long virtual) {
        try (Consumer<String, String> consumer = consumer()) {
            consumer.commitSync(Map.of(partition, new OffsetAndMetadata(virtual, "stream time")));
        }
    }

    private Outcome skip(String... more) {
        return skip(store, more);
    }

    private Outcome skip(Path from, String... more) {
        List<String> arguments = new ArrayList<>(List.of("--group", topic, "--topic", topic));
        arguments.addAll(Arrays.asList(more));
        return shared.run(new SkipCommand(), from, new StringWriter(), arguments.toArray(String[]::new));
    }

    @Test
    void groupGoesOnBehindWhatIsMissingAndReadsEverythingElse() throws Exception {
        write("a", "b", "c", "d", "e", "f");
        commitAt(0);
        lose(1);
        lose(2);
        lose(4);
        try (Consumer<String, String> consumer = consumer()) {
            assertThat(values(BlobTopic.read(consumer, 2))).containsExactly("a1", "a2");
            assertThatThrownBy(() -> BlobTopic.read(consumer, 1)).hasCauseInstanceOf(BlobMissingException.class);
        }

        Outcome dry = skip();
        assertThat(dry.status()).isZero();
        assertThat(dry.text())
                .contains(
                        topic + "-0: offsets 1 to 2, 2 notifications of 4 records",
                        "offsets 4 to 4, 1 notifications of 2 records",
                        "6 records would be given up. Nothing was changed");
        try (Consumer<String, String> consumer = consumer()) {
            assertThatThrownBy(() -> BlobTopic.read(consumer, 3)).hasCauseInstanceOf(BlobMissingException.class);
        }

        assertThat(skip("--execute").text()).contains("6 records are given up");
        try (Consumer<String, String> consumer = consumer()) {
            assertThat(values(BlobTopic.read(consumer, 6))).containsExactly("a1", "a2", "d1", "d2", "f1", "f2");
        }
    }

    @Test
    void whatWasGivenUpStaysSoOverCommitsBeforeIt() throws Exception {
        write("a", "b", "c", "d");
        commitAt(0);
        lose(2);
        assertThat(skip("--execute").text()).contains("2 records are given up");
        try (Consumer<String, String> consumer = consumer("max.poll.records", "1")) {
            ConsumerRecord<String, String> first = BlobTopic.read(consumer, 1).get(0);
            consumer.commitSync(Map.of(partition, new OffsetAndMetadata(first.offset() + 1, "mine")));
            assertThat(consumer.committed(Set.of(partition)).get(partition).metadata())
                    .isEqualTo("mine");
        }
        try (Consumer<String, String> consumer = consumer()) {
            assertThat(values(BlobTopic.read(consumer, 5))).containsExactly("a2", "b1", "b2", "d1", "d2");
            consumer.commitSync();
        }
        assertThat(skip().text()).contains("Nothing is missing");
    }

    @Test
    void metadataOfTheApplicationIsKept() throws Exception {
        write("a", "b");
        commitAt(0);
        lose(0);
        skip("--execute");
        try (Consumer<String, String> consumer = consumer()) {
            OffsetAndMetadata committed = consumer.committed(Set.of(partition)).get(partition);
            assertThat(committed.metadata()).isEqualTo("stream time");
            assertThat(committed.offset()).isZero();
            assertThat(values(BlobTopic.read(consumer, 2))).containsExactly("b1", "b2");
        }
    }

    @Test
    void activeGroupAndUnknownOnesAreRefusedAndNothingIsChanged(@TempDir Path other) throws Exception {
        write("a", "b");
        lose(0);
        assertThat(skip("--execute").text()).contains("has committed nothing");
        commitAt(0);
        try (Consumer<String, String> member = shared.consumer("group.id", topic, "enable.auto.commit", false)) {
            member.subscribe(List.of("skipped-nothing", topic));
            assertThatThrownBy(() -> BlobTopic.read(member, 1)).hasCauseInstanceOf(BlobMissingException.class);
            Outcome active = skip("--execute");
            assertThat(active.status()).isEqualTo(2);
            assertThat(active.text()).contains("is active", "Stop the application");
        }
        Outcome stranger = skip(other);
        assertThat(stranger.status()).isOne();
        assertThat(stranger.text()).contains("has no marker");
        assertThat(skip("--partition", "7").text()).contains("has not all of the partitions");
        Outcome noTopic =
                shared.run(new SkipCommand(), store, new StringWriter(), "--group", topic, "--topic", "absent-topic");
        assertThat(noTopic.status()).isEqualTo(2);
        assertThat(noTopic.text()).contains("there is no topic absent-topic. Check --topic");
    }

    /**
     * The log has one notification of another store, one with changed bytes, and readable ones
     * around them.
     */
    @Test
    void notificationsOfAnotherStoreAndBrokenOnesAreGivenUpWhereTheyAreNamed(@TempDir Path other) throws Exception {
        write("a");
        try (Producer<String, String> stranger = shared.producer("blobshuffle.store", other.toUri() + "?fsync=none")) {
            stranger.send(new ProducerRecord<>(topic, 0, "k", "foreign"));
            stranger.flush();
        }
        writeBroken();
        write("b");
        commitAt(0);

        assertThat(skip().text()).contains("refers to another store", "--offsets 0:1");
        assertThat(skip("--offsets", "0:1").text()).contains("cannot be decoded", "--offsets 0:2");
        assertThat(skip("--offsets", "0:1-x").text()).contains("Give PARTITION:OFFSET or PARTITION:FIRST-LAST");
        try (Consumer<String, String> consumer = consumer()) {
            assertThat(values(BlobTopic.read(consumer, 2))).containsExactly("a1", "a2");
            assertThatThrownBy(() -> BlobTopic.read(consumer, 1)).hasCauseInstanceOf(InvalidSettingsException.class);
        }

        Outcome done = skip("--offsets", "0:0-1,0:2-9", "--execute");
        assertThat(done.status()).isZero();
        assertThat(done.text())
                .contains(
                        "offsets 1 to 1, 1 notifications of 1 records",
                        "they lead to another store",
                        "offsets 2 to 2, 1 notifications that cannot be decoded");
        try (Consumer<String, String> consumer = consumer()) {
            assertThat(values(BlobTopic.read(consumer, 4))).containsExactly("a1", "a2", "b1", "b2");
        }
    }

    /** Writes the last notification again with one bit changed. */
    private void writeBroken() throws Exception {
        try (KafkaConsumer<byte[], byte[]> reader = new KafkaConsumer<>(
                        Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "auto.offset.reset", "earliest"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
                KafkaProducer<byte[], byte[]> writer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", KAFKA.bootstrapServers()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            reader.assign(List.of(partition));
            List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
            BlobTopic.waitFor("a notification").until(() -> {
                reader.poll(Duration.ofMillis(100)).forEach(read::add);
                return !read.isEmpty();
            });
            ConsumerRecord<byte[], byte[]> notification = read.get(read.size() - 1);
            byte[] broken = notification.value().clone();
            broken[broken.length - 1] ^= 1;
            writer.send(new ProducerRecord<>(topic, 0, null, null, broken, notification.headers()))
                    .get();
        }
    }

    @Test
    void jsonSaysTheSame() throws Exception {
        write("a", "b");
        commitAt(0);
        lose(1);
        Outcome outcome = skip("--json", "--partition", "0");
        JsonNode skip = new ObjectMapper().readTree(outcome.text()).get("skip");
        assertThat(skip.get("executed").asBoolean()).isFalse();
        JsonNode range = skip.get("ranges").get(0);
        assertThat(range.get("first_offset").asLong()).isEqualTo(1);
        assertThat(range.get("last_offset").asLong()).isEqualTo(1);
        assertThat(range.get("records").asLong()).isEqualTo(2);
        assertThat(range.get("reason").asText()).isEqualTo("missing");
    }
}
