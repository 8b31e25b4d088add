package dev.blobshuffle.kstreams.differential.drawn;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.query.RangeQuery;
import org.apache.kafka.streams.query.StateQueryRequest;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.tools.StreamsResetter;
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
    private final Inputs inputs;
    private boolean isExactlyOnce;
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
        this.inputs = new Inputs(program.setup().partitions());
        this.isExactlyOnce = program.setup().isExactlyOnce();
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
            topics.addAll(List.of(Weaver.output(prefix), Weaver.globals(prefix), deadLetters()));
            NewTopics.create(brokers.admin(), topics, program.setup().partitions());
            if (weaver.hasGlobal()) {
                write(inputs.globals(Weaver.globals(prefix)));
            }
            if (!program.setup().isClassic()) {
                standbysInBroker();
            }
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
                left.put("dead letters", new Rows(Agreement.MULTISET, deadLetterRows()));
                left.put("handlers", texts(program.hasMotion() ? new ArrayList<>(new HashSet<>(handled)) : handled));
            }
            left.put("end", texts(List.of(death.orElse("in order"))));
            addOutput(left);
            return left;
        } finally {
            clean();
        }
    }

    /** With Kafka Streams' own protocol the group has this setting. */
    private void standbysInBroker() throws Exception {
        String standbys = String.valueOf(program.setup().membership().standbys());
        AlterConfigOp change =
                new AlterConfigOp(new ConfigEntry("streams.num.standby.replicas", standbys), AlterConfigOp.OpType.SET);
        ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, application());
        brokers.admin()
                .incrementalAlterConfigs(Map.of(group, List.of(change)))
                .all()
                .get();
    }

    private static Rows texts(List<String> texts) {
        return new Rows(
                Agreement.MULTISET,
                texts.stream().map(text -> new Row(text, null, 0, "")).toList());
    }

    private String deadLetters() {
        return prefix + "-dead";
    }

    private List<Row> deadLetterRows() {
        List<Row> rows = new ArrayList<>();
        new Log(brokers.bootstrap()).read(deadLetters(), record -> rows.add(Handled.deadLetter(record)));
        return program.hasMotion() ? new ArrayList<>(new HashSet<>(rows)) : rows;
    }

    private String application() {
        return prefix + "-app";
    }

    /** Runs all phases; returns how the application died, if it did. */
    private Optional<String> live(Map<String, Rows> left) throws Exception {
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
        try {
            happen(event, members, drain);
            write(records.subList(half, records.size()));
            members.all().forEach(KafkaStreams::resume);
            drain(members, drain);
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

    private void happen(Event event, Instances members, Drain drain) throws Exception {
        hasLostMember |= members.hasLostPartitions(); // The event may stop the instance that knows.
        KafkaStreams first = members.all().get(0);
        switch (event) {
            case NONE -> {}
            case START -> start(members);
            case STOP -> {
                if (members.all().size() > 1) {
                    stop(first, members);
                }
            }
            case RESTART -> restart(members);
            case RESET -> {
                if (weaver.topics().size() == 1 && program.setup().isClassic()) {
                    reset(members, drain);
                }
            }
            case PAUSE -> {
                // A resumed standby task kills the state updater of Kafka Streams 4.3.1.
                if (program.setup().membership().standbys() == 0) {
                    members.all().forEach(KafkaStreams::pause);
                }
            }
            case ADD_THREAD -> first.addStreamThread();
            case REMOVE_THREAD -> {
                if (first.metadataForLocalThreads().size() > 1) {
                    first.removeStreamThread(PATIENCE);
                }
            }
        }
        if (event != Event.NONE) {
            for (String store : weaver.stores) {
                members.all().forEach(each -> queryMoving(each, store));
            }
        }
    }

    /** Stops all instances and starts as many. Static members do not leave their group. */
    private void restart(Instances members) {
        int count = members.all().size();
        while (!members.all().isEmpty()) {
            KafkaStreams each = members.all().get(0);
            if (program.setup().isStatic()) {
                members.stop(each);
            } else {
                stop(each, members);
            }
        }
        isExactlyOnce = !isExactlyOnce;
        instances -= count; // The new ones have the names of the former ones.
        for (int i = 0; i < count; i++) {
            start(members);
        }
    }

    /** Only for one source, because the sources are read again in any order. */
    private void reset(Instances members, Drain drain) throws Exception {
        drain(members, drain);
        int count = members.all().size();
        while (!members.all().isEmpty()) {
            stop(members.all().get(0), members);
        }
        String[] arguments = {
            "--bootstrap-server",
            brokers.bootstrap(),
            "--application-id",
            application(),
            "--input-topics",
            weaver.topics().get(0),
            "--force"
        };
        assertThat(new StreamsResetter().execute(arguments)).isZero();
        Awaitility.await("internal topics are gone")
                .atMost(PATIENCE)
                .until(() -> topicsOf(application()).isEmpty());
        for (int i = 0; i < count; i++) {
            start(members);
        }
    }

    private static void stop(KafkaStreams leaving, Instances members) {
        members.all().remove(leaving);
        leaving.close(CloseOptions.timeout(PATIENCE)
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
    }

    /** Waits until nothing is left to process, also in buffers that forward by the wall clock. */
    private void drain(Instances members, Drain drain) throws Exception {
        for (int i = 0; i < weaver.wallClockBuffers; i++) { // One may be behind another.
            drain.await(members);
            members.await("empty buffers", () -> areBuffersEmpty(members));
        }
        drain.await(members);
    }

    private boolean areBuffersEmpty(Instances members) {
        return members.all().stream().allMatch(each -> each.state() == KafkaStreams.State.RUNNING)
                && WallClockBuffer.areEmpty(application());
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
                isExactlyOnce ? StreamsConfig.EXACTLY_ONCE_V2 : StreamsConfig.AT_LEAST_ONCE);
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
        addGroup(settings, number);
        settings.put("__emit.interval.ms.kstreams.outer.join.spurious.results.fix__", 0L);
        settings.put("__emit.interval.ms.kstreams.windowed.aggregation__", 0L);
        settings.put("deserialization.exception.handler", Handled.OfDeserialization.class);
        settings.put("production.exception.handler", Handled.OfProduction.class);
        settings.put("processing.exception.handler", Handled.OfProcessing.class);
        if (setup.hasDeadLetters()) {
            settings.put(StreamsConfig.ERRORS_DEAD_LETTER_QUEUE_TOPIC_NAME_CONFIG, deadLetters());
        }
        settings.put(Handled.CONTINUES, setup.handlers().toString().replaceAll("[a-z]+=false", ""));
        side.addTo(settings, setup, fault);
        return settings;
    }

    /** The settings of one instance as a member of its group. */
    private void addGroup(Properties settings, int number) {
        Setup setup = program.setup();
        if (setup.isClassic()) {
            // A member learns of a new member with its heartbeat.
            settings.put(StreamsConfig.consumerPrefix("heartbeat.interval.ms"), 200);
            settings.put(
                    StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG,
                    setup.membership().standbys());
        }
        if (setup.isStatic()) {
            settings.put(StreamsConfig.consumerPrefix("group.instance.id"), String.valueOf(number));
        }
        if (program.hasCrash() && setup.protocol().equals("classic")) {
            // A dead thread does not leave its group, which waits for its session to end. A slow
            // machine may end sessions too, so this is for exactly-once only.
            settings.put(StreamsConfig.consumerPrefix("session.timeout.ms"), 5_000);
        }
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
            partitions += query(streams, store, rows);
        }
        return partitions == wanted ? Optional.of(rows) : Optional.empty();
    }

    /** Adds the rows of an instance's active tasks, and returns the number of their partitions. */
    private static int query(KafkaStreams streams, String store, List<Row> rows) {
        StateQueryRequest<KeyValueIterator<String, Object>> request = StateQueryRequest.inStore(store)
                .withQuery(RangeQuery.<String, Object>withNoBounds())
                .requireActive();
        int partitions = 0;
        for (var result : streams.query(request).getPartitionResults().values()) {
            if (result.isSuccess()) {
                partitions++;
                try (KeyValueIterator<String, Object> all = result.getResult()) {
                    all.forEachRemaining(entry -> rows.add(new Row(entry.key, String.valueOf(entry.value), 0, "")));
                }
            }
        }
        return partitions;
    }

    /** Queries a store whose tasks are moving. */
    private static void queryMoving(KafkaStreams streams, String store) {
        try {
            query(streams, store, new ArrayList<>());
        } catch (InvalidStateStoreException e) {
            // It is elsewhere, or not restored yet.
        }
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
                .deleteTopics(topicsOf(prefix));
    }

    private List<String> topicsOf(String owner) throws Exception {
        return brokers.admin().listTopics().names().get().stream()
                .filter(name -> name.startsWith(owner + "-"))
                .toList();
    }
}
