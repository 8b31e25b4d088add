package dev.blobshuffle.cli.drained;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.cli.BlobTopic;
import dev.blobshuffle.kafka.BlobConsumer;
import dev.blobshuffle.kafka.BlobProducer;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Runs {@code drained} on a real broker. A real producer writes the notifications into a topic that
 * is named as Kafka Streams names it.
 */
class DrainedIT {
    private static final int RECORDS = 10;

    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    @TempDir
    private static Path store;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int drained(String... arguments) {
        return new CommandLine(new DrainedCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    private int drained(String application) {
        return drained("--bootstrap", KAFKA.bootstrapServers(), "--application-id", application);
    }

    /** Creates a topic of an application, with one notification of ten records at offset 0. */
    private static TopicPartition shuffled(String application) {
        String topic = application + "-count-repartition";
        KAFKA.createTopic(topic, 2);
        try (Producer<String, String> producer =
                new BlobProducer<>(settings(topic), new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < RECORDS; i++) {
                producer.send(new ProducerRecord<>(topic, 1, "k" + i, "v" + i));
            }
        }
        return new TopicPartition(topic, 1);
    }

    private static Map<String, Object> settings(String topic) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", KAFKA.bootstrapServers());
        settings.put("blobshuffle.store", "file://" + store);
        settings.put("blobshuffle.topics.include", topic);
        return settings;
    }

    /** Reads that many records as the application, and commits the position after the last one. */
    private static void commitAfter(int count, String application, TopicPartition partition) {
        Map<String, Object> settings = settings(partition.topic());
        settings.put("group.id", application);
        settings.put("enable.auto.commit", false);
        try (Consumer<String, String> consumer =
                new BlobConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            List<ConsumerRecord<String, String>> read = BlobTopic.read(consumer, count);
            consumer.commitSync(
                    Map.of(partition, new OffsetAndMetadata(read.get(count - 1).offset() + 1)));
        }
    }

    @Test
    void aNotificationThatNobodyReadIsNotDrained() {
        TopicPartition partition = shuffled("unread");

        assertThat(drained("unread")).isEqualTo(1);

        assertThat(out.toString()).contains(partition + ": 1 notifications", "committed nothing", "Not drained");
    }

    @Test
    void jsonSaysTheSame() {
        shuffled("as-json");

        assertThat(drained("--bootstrap", KAFKA.bootstrapServers(), "--application-id", "as-json", "--json"))
                .isEqualTo(1);

        assertThat(out.toString())
                .startsWith("{")
                .contains("\"application\": \"as-json\"", "\"drained\": false", "\"notifications\": 1")
                .doesNotContain("Not drained");
    }

    @Test
    void aPositionInsideANotificationIsNotDrained() {
        TopicPartition partition = shuffled("within");
        commitAfter(RECORDS - 1, "within", partition);

        assertThat(drained("within")).isEqualTo(1);

        assertThat(out.toString()).contains(partition + ": 1 notifications", "committed 0");
    }

    @Test
    void aPositionBehindTheLastNotificationIsDrainedWhateverPlainRecordsFollow() {
        TopicPartition partition = shuffled("read");
        commitAfter(RECORDS, "read", partition);
        try (Producer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            producer.send(new ProducerRecord<>(partition.topic(), 1, null, "plain"));
        }

        assertThat(drained("read")).isZero();

        assertThat(out.toString()).contains("Drained: read has passed the last notification in all 2 partitions");
    }

    @Test
    void topicsOfAnApplicationWithALongerNameAreNotCounted() {
        TopicPartition own = shuffled("prefix");
        commitAfter(RECORDS, "prefix", own);
        TopicPartition others = shuffled("prefix-v2");
        commitAfter(RECORDS - 1, "prefix-v2", others);

        assertThat(drained("prefix")).isZero();
        assertThat(out.toString()).contains("Drained: prefix has passed the last notification in all 2 partitions");
        assertThat(drained("prefix-v2")).isEqualTo(1);
    }

    /** Kafka Streams could give this name to a topic of either application. */
    @Test
    void topicThatFitsALongerNameCountsIfTheApplicationReadsIt() {
        TopicPartition own = shuffled("named-v2");
        commitAfter(RECORDS - 1, "named", own);
        commitAfter(RECORDS, "named-v2", own);

        assertThat(drained("named")).isEqualTo(1);
    }

    /**
     * A member that writes may write more notifications. Until it stops, the group refuses native
     * members, and the command reports "not drained".
     */
    @Test
    void aGroupThatStillWritesIsNotDrained() {
        TopicPartition partition = shuffled("writing");
        commitAfter(RECORDS, "writing", partition);
        for (boolean writing : new boolean[] {true, false}) {
            Map<String, Object> settings = settings(partition.topic());
            settings.put("group.id", "writing");
            settings.put("enable.auto.commit", false);
            settings.put("blobshuffle.write.enabled", writing);
            try (Consumer<String, String> member =
                    new BlobConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
                member.subscribe(List.of(partition.topic()));
                BlobTopic.waitFor("an assignment").until(() -> {
                    member.poll(Duration.ofMillis(50));
                    return !member.assignment().isEmpty();
                });

                assertThat(drained("writing")).isEqualTo(writing ? 1 : 0);
            }
        }
        assertThat(out.toString()).contains("a member of writing still writes", "Drained: writing has passed");
    }

    @Test
    void anApplicationWithoutTopicsCannotBeTold() {
        assertThat(drained("unknown")).isEqualTo(2);
        assertThat(err.toString()).contains("no topic matches", "--application-id");
    }

    @Test
    void brokersThatDoNotAnswerCannotBeTold(@TempDir Path directory) throws Exception {
        Path config = directory.resolve("client.properties");
        Files.writeString(config, "default.api.timeout.ms=1500\nrequest.timeout.ms=1000\n");

        assertThat(drained("--bootstrap", "127.0.0.1:1", "--application-id", "x", "--config", config.toString()))
                .isOne();

        assertThat(err.toString()).contains("Cannot reach the brokers: connection refused at 127.0.0.1:1");
    }

    @Test
    void aMissingOptionIsWrongUsage() {
        assertThat(drained("--bootstrap", "127.0.0.1:1")).isEqualTo(2);
        assertThat(err.toString()).contains("--application-id");
    }
}
