package dev.blobshuffle.kstreams.stores;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.BlobShuffleClientSupplier;
import dev.blobshuffle.kstreams.differential.Drain;
import dev.blobshuffle.kstreams.differential.Instances;
import dev.blobshuffle.kstreams.differential.Log;
import dev.blobshuffle.kstreams.differential.Shuffling;
import dev.blobshuffle.kstreams.differential.Traffic;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.IntFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;

/**
 * An exactly-once application of two instances that regroups and counts, with blobs in a store.
 * Records of known words, written in several portions, must give exact counts. Owned by the test
 * thread.
 */
final class CountingRun implements AutoCloseable {
    private static final int WORDS = 40;
    private static final int INSTANCES = 2;

    private final EmbeddedKafka kafka;
    private final String application;
    private final Shuffling shuffling;
    private final Admin admin;
    private final Instances instances;
    private final Map<String, Long> expected = new HashMap<>();
    private int written;

    /**
     * Starts the application, and returns when it runs.
     *
     * @param application its name, and the prefix of its topics
     * @param store the URI of its store
     * @param directory for its state
     */
    CountingRun(EmbeddedKafka kafka, String application, String store, Path directory) throws Exception {
        this(kafka, application, Shuffling.BY_KAFKA_STREAMS, store, directory, instance -> Map.of());
    }

    /**
     * The same, with a kind of shuffling, and additional settings for each instance, by its number
     * from 0.
     */
    CountingRun(
            EmbeddedKafka kafka,
            String application,
            Shuffling shuffling,
            String store,
            Path directory,
            IntFunction<Map<String, String>> more)
            throws Exception {
        this.kafka = kafka;
        this.shuffling = shuffling;
        this.application = application;
        kafka.createTopic(input(), 4);
        kafka.createTopic(output(), 2);
        admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
        instances = Instances.start(
                INSTANCES,
                instance -> new KafkaStreams(
                        topology(), settings(store, directory.resolve("" + instance), more.apply(instance))));
    }

    private String input() {
        return application + "-words";
    }

    private String output() {
        return application + "-counts";
    }

    private Properties settings(String store, Path state, Map<String, String> more) {
        Properties settings = new Properties();
        settings.put("application.id", application);
        settings.put("bootstrap.servers", kafka.bootstrapServers());
        settings.put("processing.guarantee", "exactly_once_v2");
        settings.put("commit.interval.ms", 200);
        settings.put("state.dir", state.toString());
        settings.put(
                StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG,
                BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers.class);
        settings.put("default.key.serde", Serdes.StringSerde.class);
        settings.put("default.value.serde", Serdes.StringSerde.class);
        settings.putAll(more);
        if (shuffling == Shuffling.BY_KAFKA_STREAMS) {
            BlobShuffleClientSupplier.addTo(settings);
        }
        settings.put("blobshuffle.store", store);
        settings.put(
                "blobshuffle.inline.max.bytes",
                "0"); // Else batches as small as these go through Kafka: requests cost more.
        settings.put("blobshuffle.batch.max.delay.ms", "100");
        return settings;
    }

    private Topology topology() {
        StreamsBuilder builder = new StreamsBuilder();
        shuffling
                .beforeUse("by-word", builder.<String, String>stream(input()).selectKey((key, word) -> word))
                .groupByKey()
                .count()
                .toStream()
                .to(output(), Produced.valueSerde(Serdes.Long()));
        return builder.build();
    }

    /** Writes records, and returns when the brokers have them. */
    void write(int records) {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (int i = 0; i < records; i++) {
                String word = "word-" + (written * 31 + written / WORDS) % WORDS;
                producer.send(new ProducerRecord<>(input(), Integer.toString(written), word));
                expected.merge(word, 1L, Long::sum);
                written++;
            }
        }
    }

    /** Waits until all records are counted and committed. */
    void drain() throws Exception {
        new Drain(admin, kafka.bootstrapServers(), application, List.of(input())).await(instances);
    }

    /** How often each word was written. */
    Map<String, Long> expected() {
        return Map.copyOf(expected);
    }

    /** The application's last count of each word. */
    Map<String, Long> counted() {
        Map<String, Long> counts = new HashMap<>();
        new Log(kafka.bootstrapServers())
                .read(
                        output(),
                        r -> counts.put(
                                new String(r.key(), StandardCharsets.UTF_8),
                                ByteBuffer.wrap(r.value()).getLong()));
        return counts;
    }

    /** The records of the repartition topic. */
    Traffic traffic() throws Exception {
        return Traffic.of(admin, new Log(kafka.bootstrapServers()), application);
    }

    @Override
    public void close() {
        instances.close();
        admin.close();
    }
}
