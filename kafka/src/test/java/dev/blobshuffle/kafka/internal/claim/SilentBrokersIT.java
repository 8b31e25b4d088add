package dev.blobshuffle.kafka.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.StoreAbsentException;
import dev.blobshuffle.core.internal.store.StoreMarker;
import dev.blobshuffle.kafka.BlobProducer;
import dev.blobshuffle.kafkaembedded.KafkaProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An application starts for the first time while the brokers do not answer. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class SilentBrokersIT {
    /** Longer than one read of the claims topic, and shorter than the patience. */
    private static final Duration SILENCE = ClaimTopic.PATIENCE.plusSeconds(5);

    private static KafkaProcess kafka;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() {
        kafka = KafkaProcess.builder().start();
        kafka.createTopic("silent-first", 1);
    }

    @AfterAll
    static void close() {
        kafka.close();
    }

    private BlobProducer<String, String> producer(String patience) {
        return producer(patience, "store");
    }

    private BlobProducer<String, String> producer(String patience, String store) {
        return new BlobProducer<>(
                Map.of(
                        "bootstrap.servers",
                        kafka.bootstrapServers(),
                        "default.api.timeout.ms",
                        patience,
                        "blobshuffle.store",
                        directory.resolve(store).toUri() + "?fsync=none",
                        "blobshuffle.topics.include",
                        "silent-.*"),
                new StringSerializer(),
                new StringSerializer());
    }

    @Test
    void itStartsWhenTheyGoOn() throws Exception {
        kafka.pause(0);
        CompletableFuture<Long> offset = CompletableFuture.supplyAsync(() -> {
            try (BlobProducer<String, String> producer = producer("60000")) {
                return producer.send(new ProducerRecord<>("silent-first", 0, "k", "v"))
                        .get()
                        .offset();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        try {
            assertThatThrownBy(() -> offset.get(SILENCE.toMillis(), TimeUnit.MILLISECONDS))
                    .as("it waits")
                    .isInstanceOf(TimeoutException.class);
        } finally {
            kafka.resume(0);
        }

        assertThat(offset.get()).isNotNegative();
    }

    @Test
    void clientsOfOtherStoresDoNotWaitForIt() throws Exception {
        producer("60000", "other").close();
        kafka.pause(0);
        CompletableFuture<?> waiting =
                CompletableFuture.runAsync(() -> producer("600000").close());
        CompletableFuture<BlobProducer<String, String>> other;
        try {
            other = CompletableFuture.supplyAsync(() -> producer("60000", "other"));
            assertThat(other.get(1, TimeUnit.MINUTES)).isNotNull();
            assertThat(waiting).isNotDone();
        } finally {
            kafka.resume(0);
        }
        waiting.get();
        other.get().close(); // Kafka's producer waits for the answer to its request.
    }

    /** With the patience of the other tests, a minute or more, the test would end first. */
    @Test
    void itGivesUpInTheTimeThatACallMayTake() throws Exception {
        kafka.pause(0);
        try {
            assertThatThrownBy(() -> producer("1000").close())
                    .isInstanceOf(StoreAbsentException.class)
                    .hasMessageContaining("cannot be read");
        } finally {
            kafka.resume(0);
        }
        assertThat(directory.resolve("store").resolve(StoreMarker.NAME)).doesNotExist();
    }
}
