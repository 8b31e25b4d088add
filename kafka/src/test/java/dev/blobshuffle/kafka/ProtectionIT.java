package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.kafka.internal.log.NotificationRecord;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Copied notifications and encrypted blobs, through the clients of an application and a real
 * broker.
 */
class ProtectionIT {
    private static final String KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    @TempDir
    private Path directory;

    private String topic;
    private String other;

    @BeforeEach
    void createTopics() {
        topic = "protected-" + System.nanoTime();
        other = topic + "-other";
        KAFKA.createTopic(topic, 2);
        KAFKA.createTopic(other, 1);
    }

    @Test
    void aCopiedNotificationDeliversNothing() {
        write(Map.of());
        ConsumerRecord<byte[], byte[]> notification = notification();
        try (Producer<byte[], byte[]> copier = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (TopicPartition to : List.of(new TopicPartition(topic, 1), new TopicPartition(other, 0))) {
                copier.send(new ProducerRecord<>(
                        to.topic(), to.partition(), null, null, notification.value(), notification.headers()));
            }
        }
        assertThat(read(new TopicPartition(topic, 0), Map.of())).isEqualTo("a secret");
        for (TopicPartition copy : List.of(new TopicPartition(topic, 1), new TopicPartition(other, 0))) {
            assertThatThrownBy(() -> read(copy, Map.of()))
                    .hasStackTraceContaining("made for another partition or topic");
        }
    }

    @Test
    void anEncryptedBlobNeedsItsKeyAndSurvivesARotation() throws IOException {
        Path keys = directory.resolve("keys");
        Files.writeString(keys, "old " + KEY + "\n");
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-------"));
        Map<String, Object> old = keys(keys, "old");
        write(old);
        assertThat(storedText()).contains(topic).doesNotContain("a secret");

        TopicPartition partition = new TopicPartition(topic, 0);
        assertThatThrownBy(() -> read(partition, Map.of()))
                .hasStackTraceContaining("key 'old' is needed")
                .hasStackTraceContaining("blobshuffle.encryption.keys");
        Files.writeString(keys, "new " + KEY.replace('M', 'N') + "\nold " + KEY + "\n");
        assertThat(read(partition, keys(keys, "new"))).isEqualTo("a secret");
        assertThat(read(partition, keys(keys, "none"))).isEqualTo("a secret");

        Files.writeString(keys, "old " + KEY.replace('M', 'N') + "\n");
        assertThatThrownBy(() -> read(partition, keys(keys, "none"))).hasStackTraceContaining("cannot be decrypted");
    }

    @Test
    void aConsumerThatMissedAKeyReadsOnWhenTheKeyIsThere() throws IOException {
        Path writers = keyFile("writers", "one " + KEY + "\n");
        Path readers = keyFile("readers", "other " + KEY + "\n");
        write(keys(writers, "one"));

        Map<String, Object> settings = new HashMap<>(keys(readers, "none"));
        settings.put("blobshuffle.encryption.key.timeout.ms", 1);
        try (Consumer<String, String> consumer =
                new BlobConsumer<>(settings(settings), new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            assertThatThrownBy(() -> Clients.read(consumer, 1))
                    .isInstanceOf(KafkaException.class)
                    .hasMessageContaining("'one'")
                    .hasMessageContaining("Add the key there");
            Files.writeString(readers, "other " + KEY + "\none " + KEY + "\n");
            Clients.waitFor("the record")
                    .ignoreExceptionsMatching(
                            e -> String.valueOf(e.getMessage()).contains("'one'"))
                    .until(() -> Clients.read(consumer, 1).get(0).value().equals("a secret"));
        }
    }

    private Path keyFile(String name, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    /** Members of a zone send each other the content of their caches. */
    @Test
    void cachesOnDiskHoldCipherTextOnlyIfKeysAreSet() throws IOException {
        Path keys = directory.resolve("keys");
        Files.writeString(keys, "one " + KEY + "\n");
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-------"));

        assertThat(cachedText("plain", Map.of())).contains("a secret");
        topic = other;
        assertThat(cachedText("cipher", keys(keys, "one"))).isNotEmpty().doesNotContain("a secret");
    }

    /** Writes and reads with a cache on disk, and returns the cache's content. */
    private String cachedText(String name, Map<String, Object> more) throws IOException {
        Path cache = directory.resolve(name);
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("blobshuffle.cache.disk.dirs", cache.toString());
        settings.put("blobshuffle.compression.type", "none");
        write(settings);
        assertThat(read(new TopicPartition(topic, 0), settings)).isEqualTo("a secret");
        return text(cache, "");
    }

    private static Map<String, Object> keys(Path file, String id) {
        return Map.of("blobshuffle.encryption.keys", file.toUri().toString(), "blobshuffle.encryption.key.id", id);
    }

    private void write(Map<String, Object> more) {
        try (Producer<String, String> producer =
                new BlobProducer<>(settings(more), new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, 0, "key", "a secret"));
            producer.flush();
        }
    }

    private String read(TopicPartition partition, Map<String, Object> more) {
        try (Consumer<String, String> consumer =
                new BlobConsumer<>(settings(more), new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(partition));
            return Clients.read(consumer, 1).get(0).value();
        }
    }

    private ConsumerRecord<byte[], byte[]> notification() {
        try (Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            ConsumerRecord<byte[], byte[]> record = Clients.read(consumer, 1).get(0);
            assertThat(NotificationRecord.isNotification(record)).isTrue();
            return record;
        }
    }

    private Map<String, Object> settings(Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(Map.of(
                "bootstrap.servers",
                KAFKA.bootstrapServers(),
                "auto.offset.reset",
                "earliest",
                "enable.auto.commit",
                false,
                "blobshuffle.store",
                directory.resolve("store").toUri() + "?fsync=none",
                "blobshuffle.topics.include",
                "protected-.*",
                "blobshuffle.inline.max.bytes",
                0,
                "blobshuffle.batch.max.delay.ms",
                Duration.ofSeconds(60).toMillis()));
        settings.putAll(more);
        return settings;
    }

    private String storedText() throws IOException {
        return text(directory.resolve("store"), ".blob");
    }

    private static String text(Path root, String suffix) {
        StringBuilder text = new StringBuilder();
        LiveFiles.below(root).stream()
                .filter(file -> file.toString().endsWith(suffix))
                .forEach(file -> text.append(content(file)));
        return text.toString();
    }

    private static String content(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
