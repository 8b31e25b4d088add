package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.record.BlobVerifier;
import dev.blobshuffle.kafka.internal.client.SharedEngines;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Writers put the records that a zone reads into the zone's section, according to the readers'
 * membership. The records are the same with and without that information.
 */
class ZonesIT {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    @TempDir
    private Path directory;

    private String topic;

    @BeforeEach
    void createTopic() {
        topic = "zoned-" + System.nanoTime();
        KAFKA.createTopic(topic, 2);
    }

    private Map<String, Object> settings(String zone, String layout) {
        return new HashMap<>(Map.of(
                "bootstrap.servers",
                KAFKA.bootstrapServers(),
                "auto.offset.reset",
                "earliest",
                "blobshuffle.store",
                directory.toUri() + "?fsync=none",
                "blobshuffle.topics.include",
                "zoned-.*",
                "blobshuffle.membership.topic",
                "members-" + topic,
                "blobshuffle.zone",
                zone,
                "blobshuffle.batch.layout",
                layout,
                "blobshuffle.batch.max.delay.ms",
                60_000));
    }

    private Consumer<String, String> reader(String zone, int partition, String layout) {
        Consumer<String, String> consumer =
                new BlobConsumer<>(settings(zone, layout), new StringDeserializer(), new StringDeserializer());
        consumer.assign(List.of(new TopicPartition(topic, partition)));
        return consumer;
    }

    /** The zones of the sections of each blob that has been stored since the last call. */
    private final class NewBlobs {
        private final Set<Path> seen = new HashSet<>();

        List<Set<String>> zones() {
            try {
                List<Path> blobs =
                        LiveFiles.blobs(directory).stream().filter(seen::add).toList();
                List<Set<String>> zones = new ArrayList<>();
                for (Path blob : blobs) {
                    Footer footer = BlobVerifier.verify(ByteBuffer.wrap(Files.readAllBytes(blob)));
                    zones.add(footer.sections().stream()
                            .map(section -> section.zone().name())
                            .collect(Collectors.toCollection(TreeSet::new)));
                }
                return zones;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"packed,1", "single,1", "per-zone,2"})
    void sectionsFollowTheReadersZonesAndTheLayoutSaysWhichShareABlob(String layout, int blobsPerBatch) {
        try (Consumer<String, String> inA = reader("a", 0, layout);
                Consumer<String, String> inB = reader("b", 1, layout);
                Producer<String, String> producer =
                        new BlobProducer<>(settings("a", layout), new StringSerializer(), new StringSerializer())) {
            NewBlobs blobs = new NewBlobs();
            Set<Set<String>> expected =
                    blobsPerBatch == 1 ? Set.of(Set.of("a", "b")) : Set.of(Set.of("a"), Set.of("b"));
            List<String> readInA = new ArrayList<>();
            List<String> readInB = new ArrayList<>();
            List<String> written = new ArrayList<>();
            List<Set<String>> zones = Clients.waitFor("sections of the readers' zones")
                    .until(
                            () -> {
                                String value = "v" + written.size();
                                written.add(value);
                                producer.send(new ProducerRecord<>(topic, 0, "k", value));
                                producer.send(new ProducerRecord<>(topic, 1, "k", value));
                                producer.flush();
                                inA.poll(Duration.ofMillis(50)).forEach(record -> readInA.add(record.value()));
                                inB.poll(Duration.ofMillis(50)).forEach(record -> readInB.add(record.value()));
                                return blobs.zones();
                            },
                            found -> expected.equals(new HashSet<>(found)));
            assertThat(zones).hasSize(blobsPerBatch);

            Clients.read(inA, written.size() - readInA.size()).forEach(record -> readInA.add(record.value()));
            Clients.read(inB, written.size() - readInB.size()).forEach(record -> readInB.add(record.value()));
            assertThat(readInA).isEqualTo(written);
            assertThat(readInB).isEqualTo(written);
        }
        assertThat(SharedEngines.count()).isZero();
    }

    @Test
    void orderHoldsWhileAPartitionMovesBackAndForthBetweenZones() {
        List<String> written = new ArrayList<>();
        List<String> read = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        NewBlobs blobs = new NewBlobs();
        try (Producer<String, String> producer =
                new BlobProducer<>(settings("a", "per-zone"), new StringSerializer(), new StringSerializer())) {
            for (String zone : List.of("a", "b", "a")) {
                seen.clear();
                try (Consumer<String, String> reader = reader(zone, 0, "per-zone")) {
                    reader.seek(new TopicPartition(topic, 0), VirtualOffset.of(0));
                    read.clear();
                    Clients.waitFor("a section of zone " + zone).until(() -> {
                        for (int i = 0; i < 50; i++) {
                            written.add("v" + written.size());
                            producer.send(new ProducerRecord<>(topic, 0, "k", written.get(written.size() - 1)));
                        }
                        producer.flush();
                        blobs.zones().forEach(seen::addAll);
                        reader.poll(Duration.ofMillis(20)).forEach(record -> read.add(record.value()));
                        return seen.contains(zone);
                    });
                    Clients.read(reader, written.size() - read.size()).forEach(record -> read.add(record.value()));
                    assertThat(read).isEqualTo(written);
                }
            }
        }
    }
}
