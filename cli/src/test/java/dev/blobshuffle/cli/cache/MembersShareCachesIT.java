package dev.blobshuffle.cli.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.cli.BlobTopic;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.kafka.BlobConsumer;
import dev.blobshuffle.kafka.BlobProducer;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Instances find each other by the membership topic, without a list of members, and read from each
 * other.
 */
class MembersShareCachesIT {
    private static final String TOPIC = "shared-caches";

    @TempDir
    Path directory;

    private Map<String, Object> settings(String cacheBytes) throws Exception {
        Path secret = directory.resolve("secret");
        PrivateFiles.write(secret, "a secret of sixteen bytes or more");
        Map<String, Object> settings = new HashMap<>(Map.of(
                "bootstrap.servers",
                EmbeddedKafka.shared().bootstrapServers(),
                "auto.offset.reset",
                "earliest",
                "blobshuffle.store",
                directory.resolve("blobs").toUri() + "?fsync=none",
                "blobshuffle.topics.include",
                TOPIC,
                "blobshuffle.membership.topic",
                TOPIC + "-members",
                "blobshuffle.zone",
                "a",
                "blobshuffle.cache.zone.enabled",
                "true",
                "blobshuffle.peer.listen",
                "127.0.0.1:0",
                "blobshuffle.peer.secret.file",
                secret.toString()));
        // Different settings give the process two instances.
        settings.put("blobshuffle.cache.memory.bytes", cacheBytes);
        return settings;
    }

    private static double metric(Consumer<?, ?> consumer, String name) {
        return consumer.metrics().entrySet().stream()
                .filter(entry -> entry.getKey().group().equals("blobshuffle-metrics"))
                .filter(entry -> entry.getKey().name().equals(name))
                .mapToDouble(entry -> (double) entry.getValue().metricValue())
                .sum();
    }

    @Test
    void readerAsksTheWriterInItsZoneInsteadOfTheStore() throws Exception {
        EmbeddedKafka.shared().createTopic(TOPIC, 1);
        try (Producer<String, String> producer =
                        new BlobProducer<>(settings("64 MiB"), new StringSerializer(), new StringSerializer());
                Consumer<String, String> consumer =
                        new BlobConsumer<>(settings("65 MiB"), new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(new TopicPartition(TOPIC, 0)));
            List<String> written = new ArrayList<>();
            List<String> read = new ArrayList<>();
            AtomicInteger inARow = new AtomicInteger();
            BlobTopic.waitFor("ten reads in a row without the store").until(() -> {
                double gets = metric(consumer, "gets");
                written.add("v" + written.size());
                producer.send(new ProducerRecord<>(TOPIC, 0, "k", written.get(written.size() - 1)));
                producer.flush();
                BlobTopic.read(consumer, 1).forEach(record -> read.add(record.value()));
                inARow.set(metric(consumer, "gets") == gets ? inARow.get() + 1 : 0);
                return inARow.get() == 10;
            });
            assertThat(read).isEqualTo(written);
            assertThat(metric(consumer, "cache-zone-hits")).isGreaterThanOrEqualTo(10);
        }
    }
}
