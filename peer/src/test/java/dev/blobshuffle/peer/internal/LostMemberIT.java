package dev.blobshuffle.peer.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.kafka.BlobConsumer;
import dev.blobshuffle.kafka.BlobProducer;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A member that answers for half of a zone's sections is stopped, continued and killed while a
 * reader of the zone needs them. Every record still comes. Nobody removes the member from the
 * reader's view, so the reader itself notices the loss, reads from the store, and asks the member
 * again only after each pause. The test counts requests, since durations are also the machine's.
 */
class LostMemberIT {
    private static final int RECORDS = 30;
    private static final String TOPIC = "lost-member";

    /** The first pause after a failure; each further failure doubles it. */
    private static final Duration PAUSE = Duration.ofMillis(500);

    @TempDir
    private Path directory;

    private Consumer<byte[], byte[]> consumer;
    private Producer<byte[], byte[]> producer;
    private long written;

    @BeforeEach
    void open() throws Exception {
        PrivateFiles.write(directory.resolve("secret"), "known to all members");
        EmbeddedKafka.shared().createTopic(TOPIC, 1);
        consumer = new BlobConsumer<>(reading(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.assign(List.of(new TopicPartition(TOPIC, 0)));
        producer = new BlobProducer<>(settings("b"), new ByteArraySerializer(), new ByteArraySerializer());
    }

    @AfterEach
    void close() {
        producer.close();
        consumer.close();
    }

    @Test
    void readerOfALostMemberReadsTheStoreAndAsksItLessAndLess() throws Exception {
        try (MemberProcess member = MemberProcess.start(directory, reading())) {
            writeUntil("the member answers", () -> metric("cache-zone-hits") > 0);

            member.stop();
            assertIsMissed();

            double hits = metric("cache-zone-hits");
            member.resume();
            writeUntil("the member answers again", () -> metric("cache-zone-hits") > hits);

            member.kill();
            assertIsMissed();
        }
    }

    private void assertIsMissed() {
        double failures = metric("cache-zone-failures");
        double gets = metric("gets");
        long begin = System.nanoTime();
        writeUntil("the member is missed", () -> metric("cache-zone-failures") > failures);
        for (int i = 0; i < RECORDS; i++) {
            writeAndRead();
        }

        long pauses = (System.nanoTime() - begin) / PAUSE.toNanos();
        // The pauses 1, 2, 4, … must have fitted into the time.
        assertThat(Math.pow(2, metric("cache-zone-failures") - failures - 1))
                .as("pauses between the requests to the lost member")
                .isLessThanOrEqualTo(pauses + 1);
        assertThat(metric("gets") - gets).as("reads of the store").isGreaterThanOrEqualTo(RECORDS);
    }

    private Map<String, Object> reading() {
        Map<String, Object> reading = settings("a");
        reading.putAll(Map.of(
                "blobshuffle.cache.zone.enabled",
                "true",
                "blobshuffle.peer.listen",
                "127.0.0.1:0",
                "blobshuffle.peer.secret.file",
                directory.resolve("secret")));
        return reading;
    }

    private Map<String, Object> settings(String zone) {
        return new HashMap<>(Map.of(
                "bootstrap.servers",
                EmbeddedKafka.shared().bootstrapServers(),
                "auto.offset.reset",
                "earliest",
                "blobshuffle.store",
                directory.resolve("blobs").toUri() + "?fsync=none",
                "blobshuffle.topics.include",
                TOPIC,
                "blobshuffle.membership.topic",
                "members-" + TOPIC,
                "blobshuffle.zone",
                zone,
                "blobshuffle.inline.max.bytes",
                "0",
                "blobshuffle.batch.max.delay.ms",
                "60000"));
    }

    private void writeUntil(String what, BooleanSupplier condition) {
        waitFor(what).until(() -> {
            writeAndRead();
            return condition.getAsBoolean();
        });
    }

    /**
     * Writes a blob of one record, and reads it before the next: one read is under way at a time.
     */
    private void writeAndRead() {
        byte[] number = ByteBuffer.allocate(Long.BYTES).putLong(written).array();
        producer.send(new ProducerRecord<>(TOPIC, 0, new byte[] {1}, number));
        producer.flush();
        waitFor("record " + written).until(() -> {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                assertThat(record.value()).isEqualTo(number);
                return true;
            }
            return false;
        });
        written++;
    }

    private static ConditionFactory waitFor(String what) {
        return Awaitility.await(what)
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofMinutes(3));
    }

    private double metric(String name) {
        return consumer.metrics().entrySet().stream()
                .filter(metric -> metric.getKey().name().equals(name))
                .mapToDouble(metric -> ((Number) metric.getValue().metricValue()).doubleValue())
                .findFirst()
                .orElseThrow();
    }
}
