package dev.blobshuffle.kstreams.differential;

import dev.blobshuffle.kstreams.differential.Comparison.Rows;
import dev.blobshuffle.kstreams.differential.Output.Agreement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.awaitility.Awaitility;

/**
 * One run of the application on a real broker: topics, instances, the phases of the workload, and
 * all results. Owned by one test thread.
 */
public final class DifferentialRun {
    private static final int INSTANCES = 2;
    private static final int THREADS = 2;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final String bootstrap;
    private final Topics topics;
    private final Map<String, Object> settings;
    private final int events;
    private final Shuffling shuffling;

    /**
     * A run.
     *
     * @param name unique among the runs on a broker; the prefix of all topics
     * @param settings of the application, in addition to those of every run
     * @param shuffling how records are shuffled
     */
    public DifferentialRun(
            String bootstrap, String name, Map<String, Object> settings, int events, Shuffling shuffling) {
        this.bootstrap = bootstrap;
        this.topics = new Topics(name);
        this.settings = settings;
        this.events = events;
        this.shuffling = shuffling;
    }

    /** Runs it to the end. */
    public Result run() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            Map<String, Rows> left = new HashMap<>();
            try (Instances instances = Instances.start(INSTANCES, this::instance);
                    Writer writer = new Writer(bootstrap)) {
                Drain drain = new Drain(admin, bootstrap, applicationId(), topics.inputs());
                for (List<Workload.Input> phase : new Workload(topics, events, 42).phases()) {
                    writer.write(phase);
                    drain.await(instances);
                }
                for (String store : DifferentialTopology.STORES) {
                    left.put("store " + store, new Rows(Agreement.MULTISET, contents(instances, store)));
                }
            }
            Log log = new Log(bootstrap);
            for (Output output : Output.values()) {
                left.put(output.name(), new Rows(output.agreement(), log.rows(topics.output(output))));
            }
            for (String store : changelogs()) {
                left.put("changelog " + store, new Rows(Agreement.VALUES, log.rawRows(changelog(store))));
            }
            return new Result(left, Traffic.of(admin, log, applicationId()));
        }
    }

    /** The application's id. */
    public String applicationId() {
        return topics.prefix() + "-app";
    }

    private String changelog(String store) {
        return applicationId() + "-" + store + "-changelog";
    }

    private static List<String> changelogs() {
        List<String> names = new ArrayList<>(DifferentialTopology.STORES);
        names.addAll(List.of("windows", "sessions"));
        return names;
    }

    /**
     * Makes the topics of several runs, long before they start. The coordinator of the streams
     * protocol learns of topics later than others, and ends an application that starts before.
     */
    public static void createTopics(String bootstrap, String... names) throws Exception {
        List<String> wanted = new ArrayList<>();
        for (String name : names) {
            Topics topics = new Topics(name);
            wanted.addAll(topics.inputs());
            for (Output output : Output.values()) {
                wanted.add(topics.output(output));
            }
        }
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            NewTopics.create(admin, wanted, Topics.PARTITIONS);
        }
    }

    private KafkaStreams instance(int number) {
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, applicationId());
        properties.put(StreamsConfig.CLIENT_ID_CONFIG, applicationId() + "-" + number);
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, THREADS);
        properties.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        properties.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        properties.put(
                StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG,
                BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers.class);
        properties.put(StreamsConfig.STATE_DIR_CONFIG, Instances.stateDirectory(applicationId(), number));
        properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 200);
        properties.put(StreamsConfig.POLL_MS_CONFIG, 10);
        properties.put(StreamsConfig.producerPrefix("linger.ms"), 5);
        properties.put(StreamsConfig.REPARTITION_PURGE_INTERVAL_MS_CONFIG, 3_600_000);
        properties.putAll(settings);
        return new KafkaStreams(new DifferentialTopology(topics, shuffling).build(properties), properties);
    }

    /**
     * Waits until every partition of the store is on one instance: Kafka 4.1 moves tasks again
     * after the input has been processed.
     */
    private static List<Row> contents(Instances instances, String store) {
        return Awaitility.await("all partitions of " + store)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreException(InvalidStateStoreException.class) // The task is moving.
                .until(() -> contentsNow(instances, store), Optional::isPresent)
                .orElseThrow();
    }

    private static Optional<List<Row>> contentsNow(Instances instances, String store) {
        int partitions = 0;
        List<Row> rows = new ArrayList<>();
        for (KafkaStreams streams : instances.all()) {
            int here = streams.allLocalStorePartitionLags()
                    .getOrDefault(store, Map.of())
                    .size();
            partitions += here;
            if (here > 0) {
                rows.addAll(contents(streams, store));
            }
        }
        return partitions == Topics.PARTITIONS ? Optional.of(rows) : Optional.empty();
    }

    private static List<Row> contents(KafkaStreams streams, String store) {
        var query = StoreQueryParameters.fromNameAndType(store, QueryableStoreTypes.<String, Object>keyValueStore());
        List<Row> rows = new ArrayList<>();
        try (KeyValueIterator<String, Object> all = streams.store(query).all()) {
            all.forEachRemaining(entry -> rows.add(new Row(entry.key, String.valueOf(entry.value), 0, "")));
        }
        return rows;
    }

    /**
     * The result of a run.
     *
     * @param left the content of each output topic, changelog and store
     * @param traffic the records of the repartition topics
     */
    public record Result(Map<String, Rows> left, Traffic traffic) {}
}
