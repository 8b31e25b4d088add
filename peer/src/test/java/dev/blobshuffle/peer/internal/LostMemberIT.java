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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A member that answers for half of a zone's sections is stopped, or killed, while a reader of the
 * zone needs them: what is visible still comes, in less than two seconds more than before. The
 * member stays in everybody's view meanwhile: it is the reader that must notice.
 */
class LostMemberIT {
    private static final int RECORDS = 150;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration MOST_DELAY = Duration.ofSeconds(2);

    /** The machine may stand still for a moment; what is systematic shows each time. */
    private static final int ATTEMPTS = 3;

    private static EmbeddedKafka kafka;

    @TempDir
    private Path directory;

    /** What becomes of the member. */
    enum Loss {
        STOPPED,
        KILLED
    }

    @BeforeAll
    static void start() {
        kafka = EmbeddedKafka.builder().start();
    }

    @AfterAll
    static void end() {
        kafka.close();
    }

    @ParameterizedTest
    @EnumSource
    void whatIsVisibleStillComes(Loss loss) throws Exception {
        PrivateFiles.write(directory.resolve("secret"), "known to all members");
        boolean isInTime = false;
        for (int attempt = 1; attempt <= ATTEMPTS && !isInTime; attempt++) {
            isInTime = isInTime(loss, "visible-" + loss + "-" + attempt);
        }
        assertThat(isInTime).as("less than " + MOST_DELAY + " more").isTrue();
    }

    /**
     * Whether reads took less than two seconds more than before the loss; where the machine makes
     * them slow before, as much as three times that more.
     */
    private boolean isInTime(Loss loss, String topic) throws Exception {
        kafka.createTopic(topic, 1);
        Map<String, Object> reading = settings(topic, "a");
        reading.putAll(Map.of(
                "blobshuffle.cache.zone.enabled",
                "true",
                "blobshuffle.peer.listen",
                "127.0.0.1:0",
                "blobshuffle.peer.secret.file",
                directory.resolve("secret")));
        ReadDelays delays = new ReadDelays();
        CompletableFuture<Void> end = new CompletableFuture<>();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (MemberProcess member = MemberProcess.start(directory, reading);
                Consumer<byte[], byte[]> consumer =
                        new BlobConsumer<>(reading, new ByteArrayDeserializer(), new ByteArrayDeserializer());
                Producer<byte[], byte[]> producer = new BlobProducer<>(
                        settings(topic, "b"), new ByteArraySerializer(), new ByteArraySerializer())) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            Future<?> reader = thread.submit(() -> read(consumer, delays, end));
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (metric(consumer, "cache-zone-hits") == 0) {
                assertThat(System.nanoTime() - deadline)
                        .as("the member answers")
                        .isNegative();
                write(producer, topic, delays, 1);
            }

            Duration before = write(producer, topic, delays, RECORDS);
            double failures = metric(consumer, "cache-zone-failures");
            if (loss == Loss.STOPPED) {
                member.stop();
            } else {
                member.kill();
            }
            Duration after = write(producer, topic, delays, RECORDS);

            System.out.println("a member is " + loss + ": reads took " + before.toMillis() + " ms at most before, "
                    + after.toMillis() + " ms after");
            assertThat(metric(consumer, "cache-zone-failures"))
                    .as("the member was missed")
                    .isGreaterThan(failures);
            end.complete(null);
            reader.get(1, TimeUnit.MINUTES);
            return after.compareTo(before.multipliedBy(3).plus(MOST_DELAY)) < 0;
        } finally {
            end.complete(null);
            thread.shutdownNow();
        }
    }

    private Map<String, Object> settings(String topic, String zone) {
        return new HashMap<>(Map.of(
                "bootstrap.servers",
                kafka.bootstrapServers(),
                "auto.offset.reset",
                "earliest",
                "blobshuffle.store",
                directory.resolve("blobs").toUri() + "?fsync=none",
                "blobshuffle.topics.include",
                topic,
                "blobshuffle.membership.topic",
                "members-" + topic,
                "blobshuffle.zone",
                zone,
                "blobshuffle.inline.max.bytes",
                "0",
                "blobshuffle.batch.max.delay.ms",
                "60000"));
    }

    /** A blob for each record. @return the longest time until one came after it was visible */
    private static Duration write(Producer<byte[], byte[]> producer, String topic, ReadDelays delays, int records)
            throws Exception {
        int first = delays.visible();
        for (int i = 0; i < records; i++) {
            byte[] number =
                    ByteBuffer.allocate(Long.BYTES).putLong(delays.visible()).array();
            producer.send(new ProducerRecord<>(topic, 0, new byte[] {1}, number));
            producer.flush();
            delays.becameVisible();
        }
        delays.awaitAll(PATIENCE);
        return delays.worstSince(first);
    }

    private static void read(Consumer<byte[], byte[]> consumer, ReadDelays delays, CompletableFuture<Void> end) {
        while (!end.isDone()) {
            consumer.poll(Duration.ofMillis(10))
                    .forEach(record ->
                            delays.came(ByteBuffer.wrap(record.value()).getLong()));
        }
    }

    private static double metric(Consumer<?, ?> consumer, String name) {
        return consumer.metrics().entrySet().stream()
                .filter(metric -> metric.getKey().name().equals(name))
                .mapToDouble(metric -> ((Number) metric.getValue().metricValue()).doubleValue())
                .findFirst()
                .orElseThrow();
    }
}
