package dev.blobshuffle.peer.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.settings.ZoneSettings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.kafka.BlobConsumer;
import dev.blobshuffle.kafka.BlobProducer;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Somebody who may write to the membership topic and read the bucket, but does not know the secret,
 * announces itself as every other member of the zone, and serves blobs with changed values and
 * right checksums.
 */
class RogueMemberIT {
    private static final TopicPartition ORDERS = new TopicPartition("rogue-orders", 0);
    private static final String MEMBERS = "rogue-members";
    private static final String HONEST = "amount=0100;memo=....;";
    private static final String FORGED = "amount=9999;memo=";
    private static final int ROUNDS = 6;

    @TempDir
    Path directory;

    @Test
    void aMemberWithoutTheSecretIsNeverAsked() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Path blobs = directory.resolve("blobs");
        PrivateFiles.write(directory.resolve("secret"), "known to all members");
        EmbeddedKafka kafka = EmbeddedKafka.shared();
        try (StrangePeer rogue = StrangePeer.answering((request, out) -> {
                    asked.incrementAndGet();
                    byte[] range = forged(blobs, request);
                    out.write(StrangePeer.head("206 Partial Content", range.length));
                    out.write(range);
                });
                KafkaProducer<String, String> announcing = new KafkaProducer<>(
                        Map.of("bootstrap.servers", kafka.bootstrapServers()),
                        new StringSerializer(),
                        new StringSerializer());
                Consumer<String, String> reader = reader(kafka, blobs)) {
            reader.assign(List.of(ORDERS));
            for (int round = 0; round < ROUNDS; round++) {
                announce(announcing, rogue);
                List<String> values = new ArrayList<>();
                write(kafka, blobs);
                Awaitility.await("the record")
                        .pollInSameThread()
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(1))
                        .atMost(Duration.ofMinutes(2))
                        .until(() -> {
                            for (ConsumerRecord<String, String> record : reader.poll(Duration.ofMillis(200))) {
                                values.add(record.value().substring(0, HONEST.length()));
                            }
                            return !values.isEmpty();
                        });
                assertThat(values).containsExactly(HONEST);
            }
            assertThat(asked).as("reads that the rogue was asked for").hasValue(0);
        }
    }

    private Consumer<String, String> reader(EmbeddedKafka kafka, Path blobs) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            NewTopic members = new NewTopic(MEMBERS, 1, (short) 1)
                    .configs(Map.of("cleanup.policy", "compact", "message.timestamp.type", "LogAppendTime"));
            admin.createTopics(List.of(new NewTopic(ORDERS.topic(), 1, (short) 1), members))
                    .all()
                    .get();
        }
        return new BlobConsumer<>(reading(kafka, blobs));
    }

    private static Map<String, Object> common(EmbeddedKafka kafka, Path blobs, String zone) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", kafka.bootstrapServers());
        settings.put(StoreSettings.STORE.name(), blobs.toUri().toString());
        settings.put(KafkaSettings.TOPICS_INCLUDE.name(), ORDERS.topic());
        settings.put(WriteSettings.INLINE_MAX_BYTES.name(), "0");
        settings.put(ZoneSettings.ZONE.name(), zone);
        settings.put("key.serializer", StringSerializer.class.getName());
        settings.put("value.serializer", StringSerializer.class.getName());
        settings.put("key.deserializer", StringDeserializer.class.getName());
        settings.put("value.deserializer", StringDeserializer.class.getName());
        return settings;
    }

    private Map<String, Object> reading(EmbeddedKafka kafka, Path blobs) {
        Map<String, Object> settings = common(kafka, blobs, "z1");
        settings.put("group.id", "rogue-readers");
        settings.put("auto.offset.reset", "earliest");
        settings.put(KafkaSettings.MEMBERSHIP_TOPIC.name(), MEMBERS);
        settings.put(CacheSettings.ZONE_ENABLED.name(), "true");
        settings.put(PeerSettings.LISTEN.name(), "127.0.0.1:0");
        settings.put(
                PeerSettings.SECRET_FILE.name(), directory.resolve("secret").toString());
        return settings;
    }

    private static void write(EmbeddedKafka kafka, Path blobs) throws Exception {
        try (Producer<String, String> writer = new BlobProducer<>(common(kafka, blobs, "z2"))) {
            writer.send(new ProducerRecord<>(ORDERS.topic(), 0, "k", HONEST + "x".repeat(3000)))
                    .get();
        }
    }

    /** Many members at one address, so that nearly every section is one of theirs. */
    private static void announce(Producer<String, String> topic, StrangePeer rogue) {
        for (int id = 1; id <= 16; id++) {
            topic.send(new ProducerRecord<>(
                    MEMBERS,
                    "%016x".formatted(id * 0x1357L),
                    "blobshuffle-member 1\nzone z1\nendpoint " + rogue.endpoint() + "\nformat 1\n"));
        }
        topic.flush();
    }

    /**
     * The range of the newest blob, with another amount, and a memo that mends the frame's
     * checksum.
     */
    private static byte[] forged(Path blobs, String request) throws java.io.IOException {
        String path = request.substring(request.indexOf("/blobs/"), request.indexOf(" HTTP"));
        byte[] blob = Files.readAllBytes(find(blobs, path.substring(path.lastIndexOf('/') + 1)));
        String text = new String(blob, StandardCharsets.ISO_8859_1);
        int body = 32;
        int length = text.indexOf(HONEST) + HONEST.length() + 3000 - body;
        int amount = text.indexOf(HONEST);
        int target = Crc32cPatch.checksum(blob, body, length);
        byte[] change = FORGED.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(change, 0, blob, amount, change.length);
        Crc32cPatch.mend(blob, body, length, amount + change.length, target);
        int[] range = StrangePeer.range(request);
        return java.util.Arrays.copyOfRange(blob, range[0], range[1] + 1);
    }

    private static Path find(Path blobs, String name) {
        return LiveFiles.below(blobs).stream()
                .filter(file -> file.getFileName().toString().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
