package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Drain;
import dev.blobshuffle.kstreams.differential.Instances;
import dev.blobshuffle.kstreams.differential.Log;
import dev.blobshuffle.kstreams.differential.NewTopics;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.Stores;

/**
 * An application with two nodes in a chain that call functions, and a cached count after them. The
 * expected result is known: the values of each key are 1, 2, 3, … Owned by the test's thread.
 */
final class ParallelApplication implements AutoCloseable {
    static final int PARTITIONS = 3;

    private static final int KEYS = 30;

    private final String bootstrap = EmbeddedKafka.shared().bootstrapServers();
    private final String name;
    private final Map<String, Object> settings;
    private final Path directory;
    private final Admin admin;
    private final KafkaProducer<String, String> producer;
    private final Map<String, Integer> written = new HashMap<>();
    private int records;
    private int instances;

    private ParallelApplication(String name, Map<String, Object> settings, Path directory) {
        this.name = name;
        this.settings = settings;
        this.directory = directory;
        admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap), new StringSerializer(), new StringSerializer());
    }

    /** An application on the shared broker, whose topics are new. */
    static ParallelApplication create(String name, Map<String, Object> settings, Path directory) throws Exception {
        ParallelApplication application = new ParallelApplication(name, settings, directory);
        NewTopics.create(application.admin, List.of(name + "-input", name + "-output", name + "-counts"), PARTITIONS);
        return application;
    }

    String id() {
        return name + "-app";
    }

    String input() {
        return name + "-input";
    }

    /** Writes records of many keys, without a pause. */
    void write(int more) throws Exception {
        for (int i = 0; i < more; i++) {
            send("k" + records % KEYS, "");
        }
        producer.flush();
    }

    /** Writes records of one key. */
    void writeOneKey(int more) {
        for (int i = 0; i < more; i++) {
            send("one", "");
        }
        producer.flush();
    }

    /** Writes records with additional bytes. */
    void writeLarge(int more, int bytes) {
        String padding = " " + "x".repeat(bytes);
        for (int i = 0; i < more; i++) {
            send("k" + records % (KEYS * 20), padding);
        }
        producer.flush();
    }

    private void send(String key, String padding) {
        int number = written.merge(key, 1, Integer::sum);
        records++;
        var ignored = producer.send(new ProducerRecord<>(input(), key, number + padding));
    }

    KafkaStreams instance(String first, String second, KeyParallel.ValueFunction<String, String, String> function) {
        return instance(
                KeyParallelOptions.builder(first).maxConcurrency(32).build(),
                KeyParallelOptions.builder(second)
                        .maxConcurrency(32)
                        .ordering(Ordering.KEY_OUTPUT)
                        .build(),
                function);
    }

    KafkaStreams instance(
            KeyParallelOptions first,
            KeyParallelOptions second,
            KeyParallel.ValueFunction<String, String, String> function) {
        return instance(stream -> stream.processValues(KeyParallel.mapValues(function, first))
                .processValues(KeyParallel.mapValues((key, value) -> number(value), second)));
    }

    /** The number in a value, without the padding. */
    static String number(String value) {
        return value.split(" ", 2)[0];
    }

    /** An instance whose calls the test defines. */
    KafkaStreams instance(UnaryOperator<KStream<String, String>> calls) {
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, id());
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
        properties.put(StreamsConfig.POLL_MS_CONFIG, 10);
        properties.put(
                StreamsConfig.STATE_DIR_CONFIG,
                directory.resolve("state-" + instances++).toString());
        properties.put("auto.offset.reset", "earliest");
        properties.put("producer.linger.ms", 5);
        properties.putAll(settings);
        if (!"streams".equals(settings.get("group.protocol"))) {
            // An instance that ends leaves its group when its session times out.
            properties.put("main.consumer.session.timeout.ms", 6_000);
            properties.put("main.consumer.heartbeat.interval.ms", 1_500);
        }
        return new KafkaStreams(topology(calls), properties);
    }

    private Topology topology(UnaryOperator<KStream<String, String>> calls) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> results =
                calls.apply(builder.stream(input(), Consumed.with(Serdes.String(), Serdes.String())));
        results.to(name + "-output", Produced.with(Serdes.String(), Serdes.String()));
        results.groupByKey(Grouped.with(Serdes.String(), Serdes.String()))
                .count(Materialized.<String, Long>as(Stores.inMemoryKeyValueStore("counts"))
                        .withKeySerde(Serdes.String())
                        .withCachingEnabled())
                .toStream()
                .mapValues(String::valueOf)
                .to(name + "-counts", Produced.with(Serdes.String(), Serdes.String()));
        return builder.build();
    }

    /** Waits until at least this many results are committed. */
    void awaitOutput(int least, Instances running) {
        running.await(least + " results", () -> outputs() >= least);
    }

    /**
     * Waits until this many records have a result. If commits do not wait for calls, there is no
     * other sign of completion.
     */
    void awaitResults(int records, Instances running) {
        running.await("results of " + records + " records", () -> results() >= records);
    }

    /** Waits until everything written is committed. */
    void drain(Instances running) throws Exception {
        new Drain(admin, bootstrap, id(), List.of(input())).await(running);
    }

    private long results() {
        return new Log(bootstrap)
                .rows(name + "-output").stream()
                        .map(row -> row.key() + " " + row.value())
                        .distinct()
                        .count();
    }

    /** Number of committed results. */
    int outputs() {
        return new Log(bootstrap).rows(name + "-output").size();
    }

    /**
     * Checks, after everything is done, that the results of each key are complete, in order, and
     * counted; exactly once, or at least once.
     */
    void assertRight(boolean isOnce) {
        Log log = new Log(bootstrap);
        Map<String, List<Integer>> results = log.rows(name + "-output").stream()
                .collect(Collectors.groupingBy(
                        row -> row.key(),
                        Collectors.mapping(row -> Integer.parseInt(row.value()), Collectors.toList())));
        assertThat(results.keySet()).isEqualTo(written.keySet());
        results.forEach((key, numbers) -> {
            List<Integer> firsts = firsts(numbers);
            assertThat(isOnce ? numbers : firsts)
                    .as("results of " + key)
                    .hasSize(written.get(key))
                    .isSorted();
        });
        Map<String, Integer> counts = new HashMap<>();
        log.rows(name + "-counts").forEach(row -> counts.put(row.key(), Integer.parseInt(row.value())));
        written.forEach((key, number) -> {
            if (isOnce) {
                assertThat(counts.get(key)).as("count of " + key).isEqualTo(number);
            } else {
                assertThat(counts.get(key)).as("count of " + key).isGreaterThanOrEqualTo(number);
            }
        });
    }

    /** The numbers without those that a replay has repeated; first occurrences must be in order. */
    private static List<Integer> firsts(List<Integer> numbers) {
        List<Integer> firsts = new ArrayList<>();
        for (int number : numbers) {
            if (!firsts.contains(number)) {
                firsts.add(number);
            }
        }
        return firsts;
    }

    @Override
    public void close() {
        producer.close();
        admin.close();
    }
}
