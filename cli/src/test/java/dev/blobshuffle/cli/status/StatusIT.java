package dev.blobshuffle.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.cli.BlobTopic;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Runs {@code status} on a real broker and a file store, with a real producer and a group that has
 * read a part.
 */
class StatusIT {
    private static final int RECORDS = 10;

    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    @TempDir
    private Path store;

    private final StringWriter out = new StringWriter();

    /** Creates a topic with one notification of ten records. */
    private BlobTopic shuffled(String kind) {
        BlobTopic topic = new BlobTopic(store, kind);
        try (Producer<String, String> producer = topic.producer("blobshuffle.inline.max.bytes", "0")) {
            for (int i = 0; i < RECORDS; i++) {
                producer.send(new ProducerRecord<>(topic.name(), 0, "k" + i, "v" + i));
            }
        }
        return topic;
    }

    private static void commitAfter(int count, BlobTopic topic, String group) {
        TopicPartition partition = new TopicPartition(topic.name(), 0);
        try (Consumer<String, String> consumer = topic.consumer("group.id", group, "enable.auto.commit", false)) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            List<ConsumerRecord<String, String>> read = BlobTopic.read(consumer, count);
            consumer.commitSync(
                    Map.of(partition, new OffsetAndMetadata(read.get(count - 1).offset() + 1)));
        }
    }

    private BlobTopic.Outcome status(BlobTopic topic, String group, String... more) {
        List<String> arguments = new ArrayList<>(List.of("--application-id", group, "--topics", topic.name()));
        arguments.addAll(List.of(more));
        return topic.run(new StatusCommand(), store, out, arguments.toArray(String[]::new));
    }

    private static JsonNode json(BlobTopic.Outcome outcome) throws IOException {
        assertThat(outcome.status()).as(outcome.text()).isZero();
        return new ObjectMapper().readTree(outcome.text());
    }

    @Test
    void aPositionInsideASegmentLeavesTheRestOfItsRecords() throws IOException {
        BlobTopic topic = shuffled("inside");
        commitAfter(4, topic, "inside");

        JsonNode json = json(status(topic, "inside", "--json", "--prices", "aws"));

        JsonNode partition = json.at("/partitions/0");
        assertThat(partition.get("lag_records").asLong()).isEqualTo(RECORDS - 4);
        assertThat(partition.get("lag_notifications").asLong()).isEqualTo(1);
        assertThat(partition.get("committed").asLong()).isZero();
        assertThat(partition.get("lag_bytes").asLong()).isPositive();
        assertThat(partition.get("cut").asBoolean()).isFalse();
        assertThat(json.at("/store/blobs").asLong()).isEqualTo(1);
        assertThat(json.at("/store/bytes_estimated").asLong()).isPositive();
        assertThat(json.at("/store/usd_per_hour_estimated/puts").asDouble()).isPositive();
    }

    @Test
    void anotherStoreThanThatOfTheNotificationsIsNoted(@TempDir Path other) throws IOException {
        BlobTopic topic = shuffled("elsewhere");
        try (SystemTime time = new SystemTime()) {
            BlobStores.open(other.toUri().toString(), time).close();
        }

        JsonNode json = json(topic.run(
                new StatusCommand(), other, out, "--application-id", "elsewhere", "--topics", topic.name(), "--json"));

        assertThat(json.get("notes").toString()).contains("1 notification leads to another store than file://" + other);
        out.getBuffer().setLength(0);
        assertThat(json(status(topic, "elsewhere", "--json")).get("notes").toString())
                .doesNotContain("another store");
    }

    @Test
    void aGroupThatHasReadEverythingIsNotBehind() throws IOException {
        BlobTopic topic = shuffled("done");
        commitAfter(RECORDS, topic, "done");

        JsonNode partition = json(status(topic, "done", "--json")).at("/partitions/0");

        assertThat(partition.get("lag_records").asLong()).isZero();
        assertThat(partition.get("lag_notifications").asLong()).isZero();
        assertThat(partition.get("behind_ms").asLong()).isZero();
    }

    @Test
    void eventTimesOfLongAgoAreNotTakenForALag() throws IOException {
        BlobTopic topic = new BlobTopic(store, "past");
        try (Producer<String, String> producer = topic.producer("blobshuffle.inline.max.bytes", "0")) {
            producer.send(new ProducerRecord<>(topic.name(), 0, 946_684_800_000L, "k", "v"));
        }

        JsonNode partition = json(status(topic, "past", "--json")).at("/partitions/0");

        assertThat(partition.get("lag_records").asLong()).isEqualTo(1);
        // The lag in time comes from the blob's id, which has the minute of its creation.
        assertThat(partition.get("behind_ms").asLong())
                .isBetween(0L, Duration.ofHours(12).toMillis());
    }

    @Test
    void whatIsTooMuchToLookAtIsMarked() throws IOException {
        BlobTopic topic = shuffled("cut");
        try (Producer<String, String> producer = topic.producer("blobshuffle.inline.max.bytes", "0")) {
            producer.send(new ProducerRecord<>(topic.name(), 0, "k", "v"));
        }
        JsonNode json = json(status(topic, "cut", "--json", "--most-entries", "1", "--most-blobs", "1"));
        assertThat(json.at("/partitions/0/cut").asBoolean()).isTrue();
        assertThat(json.at("/partitions/0/lag_records").asLong()).isEqualTo(1);
        out.getBuffer().setLength(0);
        assertThat(status(topic, "cut", "--most-entries", "1").text()).contains("at least 1 record", ">1");
    }

    @Test
    void membersAreShownByZone() {
        BlobTopic topic = shuffled("members");
        String members = topic.name() + "-members";
        try (Consumer<String, String> consumer = topic.consumer(
                "group.id", "members", "blobshuffle.membership.topic", members, "blobshuffle.zone", "zone-b")) {
            consumer.subscribe(List.of(topic.name()));
            String text = BlobTopic.waitFor("the member")
                    .until(
                            () -> {
                                consumer.poll(Duration.ofMillis(200));
                                out.getBuffer().setLength(0);
                                return status(topic, "members", "--membership", members)
                                        .text();
                            },
                            shown -> shown.contains("zone-b: 1")
                                    && shown.lines().anyMatch(line -> line.endsWith("  zone-b")));
            assertThat(text).contains("members     zone-b: 1", "about ", "no prices are known");
        }
    }

    @Test
    void aWatchInAPipeShowsOneViewAfterTheOther() {
        BlobTopic topic = shuffled("watched");
        String text = status(topic, "watched", "--watch", "--times", "2", "--every", "1ms")
                .text();
        assertThat(text.lines().filter(line -> line.startsWith("application watched")))
                .hasSize(2);
        assertThat(text)
                .contains("has committed nothing", "There is no membership topic")
                .doesNotContain("\u001b");
        out.getBuffer().setLength(0);
        assertThat(status(topic, "watched", "--watch", "--times", "2", "--every", "1ms", "--json")
                        .text()
                        .lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("{") && line.endsWith("}"));
    }

    @Test
    void aStoreThatIsNotThereLeavesTheRest() {
        BlobTopic topic = shuffled("storeless");
        PrintWriter writer = new PrintWriter(out);
        int status = new CommandLine(new StatusCommand())
                .setOut(writer)
                .setErr(writer)
                .execute(
                        "--bootstrap",
                        KAFKA.bootstrapServers(),
                        "--application-id",
                        "storeless",
                        "--topics",
                        topic.name());
        assertThat(status).isZero();
        assertThat(out.toString()).contains("No store is named", "10 records in 1 notification");
    }

    @Test
    void whatCannotBeToldHasAClearAnswer() {
        BlobTopic topic = shuffled("wrong");
        assertThat(status(topic, "wrong", "--most-blobs", "0").status()).isEqualTo(2);
        assertThat(status(topic, "wrong", "--watch", "--every", "0ms").status()).isEqualTo(2);
        assertThat(out.toString()).contains("Give 1 or more", "Give a positive time");
        out.getBuffer().setLength(0);
        BlobTopic.Outcome nobody = topic.run(new StatusCommand(), store, out, "--application-id", "nobody");
        assertThat(nobody.status()).isEqualTo(2);
        assertThat(nobody.text()).contains("No topic of nobody is shuffled");
    }
}
