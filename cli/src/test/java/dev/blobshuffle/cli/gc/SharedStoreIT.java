package dev.blobshuffle.cli.gc;

import static dev.blobshuffle.cli.messaging.LogDatabase.CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.cli.BlobTopic;
import dev.blobshuffle.cli.BlobTopic.Outcome;
import dev.blobshuffle.cli.messaging.LogDatabase;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Kafka shuffle and a messaging log share a store. Neither deletes a blob that the other needs.
 */
class SharedStoreIT {
    @TempDir
    private static Path directory;

    private static LogDatabase database;

    @BeforeAll
    static void start() throws Exception {
        database = LogDatabase.shared(directory);
        database.setUp();
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    private static void writeToKafka(BlobTopic topic) {
        try (Producer<String, String> producer = topic.producer()) {
            producer.send(new ProducerRecord<>(topic.name(), 0, "k", "of the shuffle"));
            producer.flush();
        }
    }

    private static LogDatabase.Outcome messaging(Path store, String... arguments) {
        return database.run(
                CLIENT,
                Stream.concat(Stream.of(arguments), Stream.of("--store", store.toUri() + "?fsync=none"))
                        .toArray(String[]::new));
    }

    private static void writeToLog(String topic, Path store) {
        database.run(CLIENT, "topics", "create", topic);
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream("of the log\n".getBytes(StandardCharsets.UTF_8)));
        try {
            LogDatabase.Outcome outcome = messaging(store, "produce", topic);
            assertThat(outcome.status()).as(outcome.err()).isZero();
        } finally {
            System.setIn(before);
        }
    }

    private static Outcome sweepOfKafka(BlobTopic topic, Path store) {
        return topic.run(
                new GcCommand(),
                store,
                new StringWriter(),
                "--execute",
                "--floor",
                "0s",
                "--writers-stopped",
                "--grace",
                "0s",
                "--objection",
                "0s",
                "--confirm",
                "99");
    }

    private static long blobs(Path store) {
        return LiveFiles.blobs(store).size();
    }

    private static void readBoth(BlobTopic topic, String logTopic, Path store) {
        assertThat(messaging(store, "consume", logTopic, "--max", "1").out()).isEqualTo("of the log\n");
        try (Consumer<String, String> consumer = topic.consumer()) {
            TopicPartition partition = new TopicPartition(topic.name(), 0);
            consumer.assign(List.of(partition));
            assertThat(BlobTopic.read(consumer, 1)).hasSize(1);
        }
    }

    @Test
    void kafkaAndALogShareAStoreAndEachSweepsItsOwnBlobs() throws Exception {
        Path store = directory.resolve("shared");
        writeToLog("shared", store);
        BlobTopic topic = new BlobTopic(store, "shared");
        writeToKafka(topic);
        long all = blobs(store);

        Outcome ofKafka = sweepOfKafka(topic, store);
        assertThat(ofKafka.status()).as(ofKafka.text()).isZero();
        LogDatabase.Outcome ofLog = messaging(store, "gc", "--execute");
        assertThat(ofLog.status()).as(ofLog.toString()).isZero();
        assertThat(blobs(store)).isEqualTo(all);
        readBoth(topic, "shared", store);
    }
}
