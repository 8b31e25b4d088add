package dev.blobshuffle.kstreams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Drain;
import dev.blobshuffle.kstreams.differential.Instances;
import dev.blobshuffle.kstreams.differential.Log;
import dev.blobshuffle.kstreams.differential.NewTopics;
import dev.blobshuffle.kstreams.differential.Shuffling;
import dev.blobshuffle.kstreams.differential.Topics;
import dev.blobshuffle.kstreams.differential.Traffic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Records reach the partition that the application's own partitioner chooses: each key is in one
 * partition, and joins find their table.
 */
class PartitionerIT {
    private static final int USERS = 40;
    private static final int EVENTS = 400;
    private static final int PARTITIONS = Topics.PARTITIONS;

    private static EmbeddedKafka kafka;
    private static Admin admin;
    private static KafkaProducer<String, String> producer;

    @TempDir
    private Path directory;

    @BeforeAll
    static void startKafka() throws Exception {
        kafka = EmbeddedKafka.shared();
        admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "partitioner.class", ChecksumPartitioner.class),
                new StringSerializer(),
                new StringSerializer());
        NewTopics.create(
                admin,
                List.of(
                        "join-BY_KAFKA_STREAMS-users",
                        "join-BY_KAFKA_STREAMS-events",
                        "join-BY_KAFKA_STREAMS-joined",
                        "join-BY_OPERATORS-users",
                        "join-BY_OPERATORS-events",
                        "join-BY_OPERATORS-joined",
                        "roll-events",
                        "multicast-events",
                        "multicast-seen"),
                PARTITIONS);
    }

    @AfterAll
    static void stopKafka() {
        producer.close();
        admin.close();
    }

    /** The table has the application's hash, so the stream must be repartitioned with it too. */
    @ParameterizedTest
    @EnumSource(Shuffling.class)
    void streamMeetsItsTable(Shuffling shuffling) throws Exception {
        String name = "join-" + shuffling;
        StreamsBuilder builder = new StreamsBuilder();
        var users = builder.<String, String>table(name + "-users");
        shuffling
                .beforeUse(
                        "by-user",
                        builder.<String, String>stream(name + "-events").selectKey((key, user) -> user))
                .join(users, (event, user) -> user)
                .to(name + "-joined");
        // A join may take either of two records with the same timestamp first.
        long before = System.currentTimeMillis() - 60_000;
        for (int i = 0; i < USERS; i++) {
            producer.send(new ProducerRecord<>(name + "-users", null, before, "u" + i, "name of u" + i));
        }
        sendEvents(name + "-events");

        try (Instances instances = new Instances()) {
            instances.add(new KafkaStreams(builder.build(), settings(name, shuffling)));
            drain(name, name + "-users", name + "-events").await(instances);
        }

        assertThat(new Log(kafka.bootstrapServers()).rows(name + "-joined"))
                .hasSize(EVENTS)
                .allSatisfy(row -> assertThat(row.value()).isEqualTo("name of " + row.key()));
        assertThat(Traffic.of(admin, new Log(kafka.bootstrapServers()), name).notifications())
                .isPositive();
    }

    /**
     * A native instance and one that writes blobs send the records of a key to the same partition.
     */
    @Test
    void keyStaysInItsPartitionThroughARollIn() throws Exception {
        String name = "roll";
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(name + "-events")
                .selectKey((key, user) -> user)
                .repartition(Repartitioned.<String, String>as("by-user").withNumberOfPartitions(PARTITIONS));
        Topology topology = builder.build();
        for (boolean writing : new boolean[] {false, true}) {
            Properties settings = settings(name, Shuffling.BY_KAFKA_STREAMS);
            settings.put("blobshuffle.write.enabled", writing);
            sendEvents(name + "-events");
            try (Instances instances = new Instances()) {
                instances.add(new KafkaStreams(topology, settings));
                drain(name, name + "-events").await(instances);
            }
        }

        Map<String, Set<Integer>> partitionsOfKeys = new TreeMap<>();
        int records = read(name + "-by-user-repartition", partitionsOfKeys);
        assertThat(records).isEqualTo(2 * EVENTS);
        assertThat(partitionsOfKeys)
                .hasSize(USERS)
                .allSatisfy((key, partitions) -> assertThat(partitions)
                        .containsExactly(ChecksumPartitioner.of(key.getBytes(StandardCharsets.UTF_8), PARTITIONS)));
    }

    /**
     * A {@code StreamPartitioner} takes precedence over the producer's. It may choose several
     * partitions, none, or leave the choice to the producer.
     */
    @Test
    void streamPartitionerIsObeyed() throws Exception {
        String name = "multicast";
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(name + "-events")
                .selectKey((key, user) -> user)
                .repartition(Repartitioned.<String, String>as("by-user")
                        .withNumberOfPartitions(PARTITIONS)
                        .withStreamPartitioner((topic, key, value, count) -> partitions(key)))
                .to(name + "-seen");
        sendEvents(name + "-events");
        try (Instances instances = new Instances()) {
            instances.add(new KafkaStreams(builder.build(), settings(name, Shuffling.BY_KAFKA_STREAMS)));
            drain(name, name + "-events").await(instances);
        }

        Map<String, Set<Integer>> partitionsOfKeys = new TreeMap<>();
        read(name + "-by-user-repartition", partitionsOfKeys);
        Map<String, Set<Integer>> expected = new TreeMap<>();
        for (int i = 0; i < USERS; i++) {
            String key = "u" + i;
            Set<Integer> chosen = partitions(key)
                    .orElse(Set.of(ChecksumPartitioner.of(key.getBytes(StandardCharsets.UTF_8), PARTITIONS)));
            if (!chosen.isEmpty()) {
                expected.put(key, chosen);
            }
        }
        assertThat(partitionsOfKeys).isEqualTo(expected);
        int copies = expected.values().stream().mapToInt(Set::size).sum();
        assertThat(new Log(kafka.bootstrapServers()).rows(name + "-seen")).hasSize(copies * EVENTS / USERS);
    }

    private static Optional<Set<Integer>> partitions(String key) {
        return switch (Integer.parseInt(key.substring(1)) % 4) {
            case 0 -> Optional.of(Set.of(0, 2));
            case 1 -> Optional.of(Set.of());
            case 2 -> Optional.of(Set.of(1));
            default -> Optional.empty();
        };
    }

    private int read(String topic, Map<String, Set<Integer>> partitionsOfKeys) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                kafka.bootstrapServers(),
                "blobshuffle.store",
                store(),
                "blobshuffle.topics.include",
                topic,
                "enable.auto.commit",
                false,
                "isolation.level",
                "read_committed");
        return BlobLog.read(
                settings,
                topic,
                record -> partitionsOfKeys
                        .computeIfAbsent(new String(record.key(), StandardCharsets.UTF_8), key -> new TreeSet<>())
                        .add(record.partition()));
    }

    private Drain drain(String application, String... inputs) {
        return new Drain(admin, kafka.bootstrapServers(), application, List.of(inputs));
    }

    private static void sendEvents(String topic) {
        for (int i = 0; i < EVENTS; i++) {
            send(topic, "e" + i, "u" + i % USERS);
        }
        producer.flush();
    }

    private static void send(String topic, String key, String value) {
        producer.send(new ProducerRecord<>(topic, key, value));
    }

    private String store() {
        return "file://" + directory.resolve("blobs") + "?fsync=none";
    }

    private Properties settings(String application, Shuffling shuffling) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, application);
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers());
        settings.put(StreamsConfig.producerPrefix("partitioner.class"), ChecksumPartitioner.class.getName());
        settings.put(StreamsConfig.STATE_DIR_CONFIG, directory.resolve("state").toString());
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 200);
        settings.put(StreamsConfig.MAX_TASK_IDLE_MS_CONFIG, 2_000);
        settings.put(StreamsConfig.REPARTITION_PURGE_INTERVAL_MS_CONFIG, 3_600_000);
        settings.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
        settings.put("session.timeout.ms", 3_000);
        settings.put("heartbeat.interval.ms", 500);
        settings.put("blobshuffle.store", store());
        settings.put("blobshuffle.inline.max.bytes", 0);
        return shuffling == Shuffling.BY_OPERATORS ? settings : BlobShuffleClientSupplier.addTo(settings);
    }
}
