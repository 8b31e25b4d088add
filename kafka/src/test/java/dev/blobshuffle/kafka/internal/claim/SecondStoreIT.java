package dev.blobshuffle.kafka.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.StoreAbsentException;
import dev.blobshuffle.core.internal.store.StoreMarker;
import dev.blobshuffle.kafka.BlobProducer;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An instance starts, but its store is missing. */
class SecondStoreIT {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    @TempDir
    private Path directory;

    private void write(String topic, Path store) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                KAFKA.bootstrapServers(),
                "blobshuffle.store",
                store.toUri() + "?fsync=none",
                "blobshuffle.topics.include",
                "second-.*");
        try (Producer<String, String> producer =
                new BlobProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, 0, "k", "v"));
            producer.flush();
        }
    }

    @Test
    void instanceThatStartsWhileTheStoreIsNotMountedMakesNoOther() throws Exception {
        String topic = "second-" + System.nanoTime();
        KAFKA.createTopic(topic, 1);
        Path store = directory.resolve("store");
        write(topic, store);
        Path away = directory.resolve("away");
        Files.move(store, away);
        Files.createDirectory(store); // The mount point.

        assertThatThrownBy(() -> write(topic, store))
                .isInstanceOf(StoreAbsentException.class)
                .hasMessageContaining("not mounted")
                .hasMessageContaining("has used a store before");
        assertThat(store).isEmptyDirectory();

        Files.delete(store);
        Files.move(away, store);
        write(topic, store);
        Files.delete(store.resolve(StoreMarker.NAME));
        assertThatThrownBy(() -> write(topic, store)).isInstanceOf(StoreAbsentException.class);
        assertThat(store.resolve(StoreMarker.NAME)).doesNotExist();
    }
}
