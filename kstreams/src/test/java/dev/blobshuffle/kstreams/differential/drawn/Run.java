package dev.blobshuffle.kstreams.differential.drawn;

import dev.blobshuffle.kstreams.differential.Comparison.Rows;
import dev.blobshuffle.kstreams.differential.Drain;
import dev.blobshuffle.kstreams.differential.Instances;
import dev.blobshuffle.kstreams.differential.Log;
import dev.blobshuffle.kstreams.differential.NewTopics;
import dev.blobshuffle.kstreams.differential.Output.Agreement;
import dev.blobshuffle.kstreams.differential.Row;
import dev.blobshuffle.kstreams.differential.drawn.Program.Event;
import dev.blobshuffle.kstreams.differential.drawn.Program.Phase;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** One run of a program on one side. Owned by one thread. */
final class Run {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Program program;
    private final Side side;
    private final String prefix;
    private final Brokers brokers;
    private final Weaver weaver;
    private final List<String> directories = new ArrayList<>();
    private final Optional<Fault> fault;
    private final boolean isOptimized;
    private int instances;

    /** Positions in the output. If the application dies, nothing after them is compared. */
    private long outputEnd;

    private boolean hasLostMember;

    private String autopsy = "";

    Run(Program program, Side side, long number, Brokers brokers, Optional<Fault> fault) {
        this.program = program;
        this.side = side;
        this.prefix = side.prefix(number);
        this.brokers = brokers;
        this.fault = fault;
        this.weaver = new Weaver(program, prefix);
        this.isOptimized = program.setup().isOptimized() && isOptimizable();
    }

    /** Whether Kafka Streams can optimize the topology; it rejects some. */
    private boolean isOptimizable() {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, application());
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, brokers.bootstrap());
        settings.put(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG, StreamsConfig.OPTIMIZE);
        try {
            new Weaver(program, prefix).build(settings);
            return true;
        } catch (StreamsException e) {
            return false;
        }
    }

    String topology() {
        return new Weaver(program, prefix).build(properties(0)).describe().toString();
    }

    /**
     * Whether the group has ended the session of a member, for example on a slow machine. Without
     * exactly-once, the member's uncommitted records are then processed again.
     */
    boolean hasLostMember() {
        return hasLostMember;
    }

    /** The exception of which the application died, and its instances then; empty if it lived. */
    String autopsy() {
        return autopsy;
    }

    /** The clients that all runs share. */
    record Brokers(String bootstrap, Admin admin, Producer<String, String> writer) {}

    /** The results of the run. */
    Map<String, Rows> run() throws Exception {
        Map<String, Rows> left = new HashMap<>();
        try {
            List<String> topics = new ArrayList<>(weaver.topics());
            topics.add(Weaver.output(prefix));
            NewTopics.create(brokers.admin(), topics, program.setup().partitions());
            Optional<String> death = live(left);
            List<String> handled = Handled.take(application());
            if (death.isEmpty()) {
                for (String store : weaver.changelogs) {
                    left.put(
                            "changelog " + store,
                            new Rows(
                                    Agreement.VALUES,
                                    new Log(brokers.bootstrap()).rawRows(application() + "-" + store + "-changelog")));
                }
                outputEnd = Long.MAX_VALUE;
                left.put("handlers", texts(program.hasMotion() ? new ArrayList<>(new HashSet<>(handled)) : handled));
            }
            left.put("end", texts(List.of(death.orElse("in order"))));
            addOutput(left);
            return left;
        } finally {
            clean();
        }
    }

    private static Rows texts(List<String> texts) {
        return new Rows(
                Agreement.MULTISET,
                texts.stream().map(text -> new Row(text, null, 0, "")).toList());
    }

    private String application() {
        return prefix + "-app";
    }

    /** Runs all phases; returns how the application died, if it did. */
    private Optional<String> live(Map<String, Rows> left) throws Exception {
        Inputs inputs = new Inputs(program.setup().partitions());
        try (Instances members = new Instances()) {
            List<CountDownLatch> ready = new ArrayList<>();
            for (int i = 0; i < program.setup().instances(); i++) {
                ready.add(start(members));
            }
            for (CountDownLatch latch : ready) {
                if (!comesUp(members, latch)) {
                    return Optional.of(death(members, 0));
                }
            }
            Drain drain = new Drain(brokers.admin(), brokers.bootstrap(), application(), weaver.topics());
            int number = 0;
            for (Phase phase : program.phases()) {
                number++;
                String topic =
                        weaver.topics().get(phase.topic() % weaver.topics().size());
                if (!passes(inputs.of(phase, topic), phase.event(), members, drain)) {
                    return Optional.of(death(members, number));
                }
            }
            for (String topic : weaver.topics()) {
                if (!passes(inputs.closing(topic), Event.NONE, members, drain)) {
                    return Optional.of(death(members, number + 1));
                }
            }
            for (String store : weaver.stores) {
                left.put("store " + store, new Rows(Agreement.MULTISET, contents(members, store)));
            }
        }
        return Optional.empty();
    }

    private static boolean comesUp(Instances members, CountDownLatch ready) throws Exception {
        try {
            members.await(ready);
            return true;
        } catch (AssertionError e) {
            if (members.failure().isPresent()) {
                return false;
            }
            throw e;
        }
    }

    private boolean passes(List<ProducerRecord<String, String>> records, Event event, Instances members, Drain drain)
            throws Exception {
        int half = event == Event.NONE ? 0 : records.size() / 2;
        write(records.subList(0, half));
        if (event == Event.START) {
            start(members);
        } else if (event == Event.STOP && members.all().size() > 1) {
            stop(members);
        }
        write(records.subList(half, records.size()));
        try {
            drain.await(members);
            hasLostMember |= members.hasLostPartitions();
        } catch (RuntimeException | Error e) {
            if (members.failure().isPresent()) {
                return false;
            }
            throw e;
        }
        TopicPartition output = new TopicPartition(Weaver.output(prefix), 0);
        outputEnd = brokers.admin()
                .listOffsets(Map.of(output, OffsetSpec.latest()))
                .partitionResult(output)
                .get()
                .offset();
        return true;
    }

    private static void stop(Instances members) {
        KafkaStreams leaving = members.all().remove(0);
        leaving.close(CloseOptions.timeout(PATIENCE)
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
    }

    /** When and how an application died, as a text that is the same on both sides. */
    private String death(Instances members, int phase) {
        List<String> causes = new ArrayList<>();
        Throwable failure = members.failure().orElseThrow();
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        for (KafkaStreams streams : members.all()) {
            KafkaStreams.State state = streams.state();
            text.append(state + " " + (state.isRunningOrRebalancing() ? streams.metadataForLocalThreads() : "") + "\n");
        }
        autopsy = text.toString();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            causes.add(cause.getClass().getSimpleName());
        }
        return "dead in phase " + phase + " of " + causes;
    }

    private void write(List<ProducerRecord<String, String>> records) throws Exception {
        List<Future<RecordMetadata>> sent =
                records.stream().map(brokers.writer()::send).collect(Collectors.toList());
        brokers.writer().flush();
        for (Future<RecordMetadata> each : sent) {
            each.get();
        }
    }

    private CountDownLatch start(Instances members) {
        Properties settings = properties(instances++);
        return members.startReplacing(
                new KafkaStreams(new Weaver(program, prefix).build(settings), settings), FailOnce::isIn);
    }

    private Properties properties(int number) {
        Setup setup = program.setup();
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, application());
        settings.put(StreamsConfig.CLIENT_ID_CONFIG, application() + "-" + number);
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, brokers.bootstrap());
        settings.put(
                StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
                setup.isExactlyOnce() ? StreamsConfig.EXACTLY_ONCE_V2 : StreamsConfig.AT_LEAST_ONCE);
        settings.put("group.protocol", setup.protocol());
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, setup.threads());
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, FragileSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, FragileSerde.class);
        settings.put(
                StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG,
                BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers.class);
        settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, setup.isCached() ? 1 << 20 : 0);
        settings.put(
                StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG,
                isOptimized ? StreamsConfig.OPTIMIZE : StreamsConfig.NO_OPTIMIZATION);
        settings.put(StreamsConfig.REPARTITION_PURGE_INTERVAL_MS_CONFIG, setup.isPurged() ? 100 : 3_600_000);
        String directory = Instances.stateDirectory(application(), number);
        directories.add(directory);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, directory);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 50);
        settings.put(StreamsConfig.POLL_MS_CONFIG, 10);
        settings.put(StreamsConfig.producerPrefix("linger.ms"), 1);
        settings.put(StreamsConfig.consumerPrefix("fetch.max.wait.ms"), 50);
        settings.put("metric.reporters", ""); // Nobody asks JMX, and each client registers hundreds.
        if (setup.protocol().equals("classic")) {
            // A member learns of a new member with its heartbeat.
            settings.put(StreamsConfig.consumerPrefix("heartbeat.interval.ms"), 200);
        }
        if (program.hasCrash() && setup.protocol().equals("classic")) {
            // A dead thread does not leave its group, which waits for its session to end. A slow
            // machine may end sessions too, so this is for exactly-once only.
            settings.put(StreamsConfig.consumerPrefix("session.timeout.ms"), 5_000);
        }
        settings.put("__emit.interval.ms.kstreams.outer.join.spurious.results.fix__", 0L);
        settings.put("__emit.interval.ms.kstreams.windowed.aggregation__", 0L);
        settings.put("deserialization.exception.handler", Handled.OfDeserialization.class);
        settings.put("production.exception.handler", Handled.OfProduction.class);
        settings.put("processing.exception.handler", Handled.OfProcessing.class);
        settings.put(Handled.CONTINUES, setup.handlers().toString().replaceAll("[a-z]+=false", ""));
        side.addTo(settings, setup, fault);
        return settings;
    }

    private List<Row> contents(Instances members, String store) {
        return Awaitility.await("all partitions of " + store)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .ignoreException(InvalidStateStoreException.class) // The task is moving.
                .until(() -> contentsNow(members, store), Optional::isPresent)
                .orElseThrow();
    }

    private Optional<List<Row>> contentsNow(Instances members, String store) throws Exception {
        String changelog = application() + "-" + store + "-changelog";
        int wanted = brokers.admin()
                .describeTopics(List.of(changelog))
                .topicNameValues()
                .get(changelog)
                .get()
                .partitions()
                .size();
        int partitions = 0;
        List<Row> rows = new ArrayList<>();
        for (KafkaStreams streams : members.all()) {
            int here = streams.allLocalStorePartitionLags()
                    .getOrDefault(store, Map.of())
                    .size();
            partitions += here;
            if (here > 0) {
                rows.addAll(contents(streams, store));
            }
        }
        return partitions == wanted ? Optional.of(rows) : Optional.empty();
    }

    private static List<Row> contents(KafkaStreams streams, String store) {
        var query = StoreQueryParameters.fromNameAndType(store, QueryableStoreTypes.<String, Object>keyValueStore());
        List<Row> rows = new ArrayList<>();
        try (KeyValueIterator<String, Object> all = streams.store(query).all()) {
            all.forEachRemaining(entry -> rows.add(new Row(entry.key, String.valueOf(entry.value), 0, "")));
        }
        return rows;
    }

    private void addOutput(Map<String, Rows> left) {
        Map<String, List<Row>> rows = new HashMap<>();
        new Log(brokers.bootstrap()).read(Weaver.output(prefix), record -> {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            if (record.offset() < outputEnd) {
                rows.computeIfAbsent(key.substring(0, key.indexOf('|')), sink -> new ArrayList<>())
                        .add(new Row(
                                key,
                                text(record.value()),
                                record.timestamp() - Inputs.START,
                                record.headers().toString()));
            }
        });
        weaver.sinks.forEach((sink, agreement) ->
                left.put(sink, new Rows(agreement, rows.getOrDefault(sink, List.of()))));
    }

    private static @Nullable String text(byte @Nullable [] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private void clean() throws Exception {
        for (String directory : directories) {
            Utils.delete(new File(directory));
        }
        brokers.admin() // No wait is needed, because other runs have other names.
                .deleteTopics(brokers.admin().listTopics().names().get().stream()
                        .filter(name -> name.startsWith(prefix + "-"))
                        .toList());
    }
}
