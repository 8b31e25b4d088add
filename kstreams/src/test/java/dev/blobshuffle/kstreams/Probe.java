package dev.blobshuffle.kstreams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kstreams.differential.Digest;
import dev.blobshuffle.kstreams.differential.Log;
import dev.blobshuffle.kstreams.differential.NewTopics;
import dev.blobshuffle.kstreams.differential.Row;
import dev.blobshuffle.kstreams.differential.Shuffling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
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
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.awaitility.Awaitility;

/**
 * An application with two shuffles in a chain and a steady load. Its expected result is known
 * exactly, because every value is its sequence number. Owned by the test thread; the load has its
 * own thread.
 */
public final class Probe implements AutoCloseable {
    public static final int PARTITIONS = 3;

    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Duration POLL = Duration.ofMillis(5);
    private static final int KEYS = 50;
    private static final int USERS = 20;

    private final String bootstrap;
    private final String name;
    private final Shuffling shuffling;
    private final Map<String, List<String>> written = new HashMap<>();
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean stopped;
    private final Thread load;

    private Probe(String bootstrap, String name, Shuffling shuffling) {
        this.bootstrap = bootstrap;
        this.name = name;
        this.shuffling = shuffling;
        this.load = new Thread(this::write, "load-" + name);
    }

    /**
     * Makes the topics of several probes, long before they start. The coordinator of the streams
     * protocol learns of topics later than others, and ends an application that starts before.
     */
    public static void createTopics(String bootstrap, String... names) throws Exception {
        List<String> topics = new ArrayList<>();
        for (String name : names) {
            Probe probe = new Probe(bootstrap, name, Shuffling.BY_KAFKA_STREAMS);
            topics.addAll(List.of(probe.input(), probe.moved(), probe.digests()));
        }
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            NewTopics.create(admin, topics, PARTITIONS);
        }
    }

    /** Starts to write. */
    static Probe start(String bootstrap, String name) {
        return start(bootstrap, name, Shuffling.BY_KAFKA_STREAMS);
    }

    /** Starts to write; the application shuffles as given. */
    public static Probe start(String bootstrap, String name, Shuffling shuffling) {
        Probe probe = new Probe(bootstrap, name, shuffling);
        probe.load.start();
        return probe;
    }

    /** The application's id. */
    public String applicationId() {
        return name + "-app";
    }

    /** The topic that it reads. */
    public String input() {
        return name + "-input";
    }

    /** The values written to its input, in order by key; complete after {@link #stop()}. */
    public Map<String, List<String>> written() {
        return written;
    }

    /** The topic with a copy of the input, after the first shuffle. */
    public String moved() {
        return name + "-moved";
    }

    /** The topic with the state of each user. */
    public String digests() {
        return name + "-digests";
    }

    /** An instance of the application. */
    public KafkaStreams instance(Map<String, Object> settings) {
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, applicationId());
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
        properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 200);
        properties.put(StreamsConfig.POLL_MS_CONFIG, 10);
        properties.put(StreamsConfig.producerPrefix("linger.ms"), 5);
        properties.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        properties.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        properties.put(
                StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG,
                BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers.class);
        properties.put(StreamsConfig.REPARTITION_PURGE_INTERVAL_MS_CONFIG, 3_600_000);
        properties.putAll(settings);
        return new KafkaStreams(topology(), properties);
    }

    private Topology topology() {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> moved = shuffling.repartition("moved", builder.stream(input()));
        moved.to(moved());
        shuffling
                .beforeUse(
                        "by-user",
                        moved.map(
                                (key, value) -> new org.apache.kafka.streams.KeyValue<>(user(key), key + ";" + value)))
                .groupByKey()
                .aggregate(
                        () -> Digest.EMPTY,
                        (user, value, digest) -> Digest.plus(
                                digest,
                                value.substring(0, value.indexOf(';')),
                                value.substring(value.indexOf(';') + 1)),
                        Materialized.as("digests"))
                .toStream()
                .to(digests());
        return builder.build();
    }

    private static String user(String key) {
        return "u" + Integer.parseInt(key.substring(1)) % USERS;
    }

    private void write() {
        Random random = new Random(5);
        Map<String, Object> settings =
                Map.of("bootstrap.servers", bootstrap, "linger.ms", 5, "max.in.flight.requests.per.connection", 1);
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (int sequence = 0; !stopped && failure.get() == null; sequence++) {
                String key = "k" + random.nextInt(KEYS);
                producer.send(new ProducerRecord<>(input(), key, Integer.toString(sequence)), (sent, e) -> {
                    if (e != null) {
                        failure.compareAndSet(null, e);
                    }
                });
                written.computeIfAbsent(key, k -> new ArrayList<>()).add(Integer.toString(sequence));
                count.incrementAndGet();
                LockSupport.parkNanos(2_000_000); // The load's rate.
            }
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Ends the load; every written record is acknowledged. */
    public void stop() throws InterruptedException {
        stopped = true;
        load.join();
        assertThat(failure.get()).isNull();
    }

    /**
     * After the application has drained: every record is in the output once, in order per key, and
     * so it is in the state.
     */
    public void assertExact() {
        Log log = new Log(bootstrap);
        Map<String, List<String>> moved = log.rows(moved()).stream()
                .collect(Collectors.groupingBy(Row::key, Collectors.mapping(Row::value, Collectors.toList())));
        assertThat(moved).isEqualTo(written);
        assertState();
    }

    /** After the application has drained: every record is in the state once, in order per key. */
    public void assertState() {
        Log log = new Log(bootstrap);
        Map<String, String> expected = new HashMap<>();
        written.forEach((key, values) -> values.forEach(value -> expected.merge(
                user(key), Digest.plus(Digest.EMPTY, key, value), (before, first) -> Digest.plus(before, key, value))));
        Map<String, String> digests = new HashMap<>();
        log.rows(digests()).forEach(row -> digests.put(row.key(), row.value()));
        assertThat(digests).isEqualTo(expected);
    }

    /**
     * Waits until a number of further records are written, so that the load overlaps with the
     * test's action.
     */
    public void awaitRecords(int further) {
        int until = count.get() + further;
        Awaitility.await(further + " further records")
                .atMost(PATIENCE)
                .pollInterval(POLL)
                .failFast(() ->
                        assertThat(failure.get()).as("failure of the load").isNull())
                .until(() -> count.get() >= until);
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        load.join();
    }
}
