package dev.blobshuffle.kafka;

import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.ConsumerWiring;
import dev.blobshuffle.kafka.internal.client.Mode;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.consume.ByteConsumers;
import dev.blobshuffle.kafka.internal.consume.ShuffleConsumer;
import dev.blobshuffle.kafka.internal.produce.Partitioning;
import dev.blobshuffle.kafka.internal.produce.ProducerInterceptorChain;
import dev.blobshuffle.kafka.internal.produce.ProducerParts;
import dev.blobshuffle.kafka.internal.produce.RecordSerializer;
import dev.blobshuffle.kafka.internal.produce.ShuffleProducer;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.FaultPlan;
import dev.blobshuffle.simulator.store.FaultyBlobStore;
import dev.blobshuffle.simulator.store.StoreFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongFunction;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * One schedule of the Kafka front door: real {@code BlobProducer}s and {@code BlobConsumer}s on
 * simulated logs and groups. Members join, are suspended until they are fenced, continue as
 * zombies, and are killed. Partitions move. The store and the brokers fail. The log is purged.
 * Readers seek and pause. With exactly-once, transformers copy the writers' topic to the readers'
 * topic. A seed determines everything, including the group protocol and the guarantee. The mutation
 * tests load it by name.
 */
public final class ClientSchedule implements LongFunction<String[]> {
    private static final Duration FAULTY = Duration.ofSeconds(20);
    private static final Duration SESSION = Duration.ofSeconds(2);
    private static final Duration TRANSACTION = Duration.ofSeconds(5);

    /** Events that occur in some schedule, if there are enough schedules. */
    static final Set<String> EVENTS = Set.of(
            "consumer protocol, at least once",
            "consumer protocol, exactly once",
            "eager, at least once",
            "eager, exactly once",
            "cooperative, at least once",
            "cooperative, exactly once",
            "partitions lost",
            "commit refused: CommitFailedException",
            "commit refused: RebalanceInProgressException",
            "transaction committed",
            "transaction aborted",
            "transaction committed as partitions went",
            "transaction timed out",
            "transaction failed: CommitFailedException",
            "transaction failed: TimeoutException",
            "producer fenced");

    private static final TopicMatcher TOPICS = TopicMatcher.of(List.of("blob-.*"), List.of());

    /** Zones of readers are unknown. */
    private static final ZoneMap ZONES = new ZoneMap() {
        @Override
        public List<Member> members() {
            return List.of();
        }

        @Override
        public List<Member> members(Zone zone) {
            return List.of();
        }

        @Override
        public Optional<Zone> zoneOf(Partition partition) {
            return Optional.empty();
        }
    };

    /** A schedule's broken promises, and its events in the words of {@link #EVENTS}. */
    record Outcome(List<String> violations, Set<String> events) {}

    @Override
    public String[] apply(long seed) {
        return run(seed).violations().toArray(new String[0]);
    }

    /** Runs a seed's schedule. */
    static Outcome run(long seed) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            Run run = new Run(time);
            try {
                return new Outcome(run.run(), run.events);
            } catch (AssertionError e) {
                List<String> all = new ArrayList<>(run.violations);
                all.add(e.getMessage() + (e.getCause() == null ? "" : ": " + trace(e.getCause())));
                return new Outcome(all, run.events);
            }
        }
    }

    /** A fingerprint that is the same for two runs of a seed. */
    static long trace(long seed) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            new Run(time).run();
            return time.trace();
        }
    }

    private static String trace(Throwable cause) {
        StringBuilder text = new StringBuilder(cause.toString());
        for (int i = 0; i < Math.min(cause.getStackTrace().length, 12); i++) {
            text.append("\n    at ").append(cause.getStackTrace()[i]);
        }
        return text.toString();
    }

    /** A topic with the group that reads it, and a ledger of its rows. */
    record Topic(SimulatedBroker broker, SimulatedGroup group, ClientLedger ledger) {}

    /** The state of one schedule. Guarded by the simulation's baton. */
    static final class Run {
        final SimulatedTime time;
        final int partitions;
        private final List<String> violations = new ArrayList<>();
        private final Set<String> events = new TreeSet<>();

        /** The writers' topic is the first, the readers' topic the last. */
        private final List<Topic> topics = new ArrayList<>();

        private final SimulatedCoordinator coordinator;
        private final FaultyBlobStore store;
        private final MemoryBlobStore stored = new MemoryBlobStore("clients", 64 << 20);
        private final int instances;
        private final int rows;
        private final boolean hasFaults;
        private final boolean isExactlyOnce;
        private final BatcherOptions.Builder batching;
        private final List<SimulatedProcess> processes = new ArrayList<>();
        private final List<String> transactionalIds = new ArrayList<>();
        private int writing;
        private int started;
        private int opened;
        private int attempts;
        private int storm;
        private long outageEnd;
        private boolean isCalm;

        Run(SimulatedTime time) {
            this.time = time;
            partitions = 1 + time.random(3);
            outageEnd = time.nanos();
            coordinator = new SimulatedCoordinator(time);
            instances = 1 + time.random(3);
            isExactlyOnce = time.random(2) == 0;
            rows = 20 + time.random(isExactlyOnce ? 30 : 60);
            int protocol = time.random(4);
            saw((protocol < 2 ? "consumer protocol" : protocol == 2 ? "eager" : "cooperative")
                    + (isExactlyOnce ? ", exactly once" : ", at least once"));
            hasFaults = time.random(4) > 0;
            batching = BatcherOptions.builder()
                    .batchBytes(1L << (8 + time.random(6)))
                    .delay(Duration.ofMillis(1 + time.random(200)))
                    .inlineBytes(time.random(3) == 0 ? 1L << (5 + time.random(5)) : 0)
                    .deliveryTimeout(Duration.ofMillis(500 + time.random(10_000)));
            List<StoreFault.Kind> kinds = List.of(
                    StoreFault.Kind.FAIL_BEFORE,
                    StoreFault.Kind.FAIL_AFTER,
                    StoreFault.Kind.THROTTLE,
                    StoreFault.Kind.TRUNCATE,
                    StoreFault.Kind.FLIP);
            int perThousand = hasFaults ? time.random(200) : 0;
            FaultPlan faulty = FaultPlan.random(time, perThousand, Duration.ofMillis(60), kinds);
            FaultPlan sound = FaultPlan.random(time, 0, Duration.ofMillis(60), kinds);
            FaultPlan outage =
                    FaultPlan.random(time, 1000, Duration.ofMillis(60), List.of(StoreFault.Kind.FAIL_BEFORE));
            store = new FaultyBlobStore(stored, time, request -> {
                FaultPlan plan = isQuiet() ? sound : time.nanos() - outageEnd < 0 ? outage : faulty;
                return plan.next(request);
            });
            topics.add(topic("blob-s", protocol));
            if (isExactlyOnce) {
                topics.add(topic("blob-t", protocol));
            }
        }

        private Topic topic(String name, int protocol) {
            SimulatedBroker broker = new SimulatedBroker(name, partitions);
            SimulatedGroup group = protocol < 2
                    ? new ConsumerGroup(time, partitions)
                    : new ClassicGroup(time, partitions, protocol == 3);
            return new Topic(broker, group, new ClientLedger(broker, stored, violations));
        }

        private Topic written() {
            return topics.get(0);
        }

        private Topic read() {
            return topics.get(topics.size() - 1);
        }

        List<String> run() {
            for (int i = 0; i < instances; i++) {
                startInstance();
            }
            time.actor("supervisor", this::supervise);
            time.run();
            if (!isBroken()) {
                time.settle(Duration.ofMinutes(1));
                topics.forEach(topic -> topic.ledger().checkEnd());
                read().ledger().checkCopyOf(written().ledger());
            }
            store.close();
            return List.copyOf(violations);
        }

        boolean isQuiet() {
            return time.elapsed().compareTo(FAULTY) > 0;
        }

        /** Whether the current request to the brokers fails. */
        boolean isFaulty() {
            return hasFaults && !isQuiet() && time.random(12) == 0;
        }

        boolean isDone() {
            boolean isOver = isCalm && writing == 0 && coordinator.isIdle();
            return isOver && topics.stream().allMatch(topic -> topic.broker().isConsumed()) || isBroken();
        }

        /** Records one of {@link #EVENTS}. */
        void saw(String event) {
            events.add(event);
        }

        /** A new transaction number. */
        int newAttempt() {
            return ++attempts;
        }

        /** Whether a promise was broken. */
        boolean isBroken() {
            return !violations.isEmpty();
        }

        private void startInstance() {
            SimulatedProcess process = time.process("instance-" + started++);
            processes.add(process);
            Engine engine = ShuffleEngine.builder(store, process)
                    .batching(batching.build())
                    .readBufferBytes(time.random(3) == 0 ? 1 : 1 << 20)
                    .build();
            boolean isTransactional = isExactlyOnce && time.random(3) > 0;
            process.actor("writer", () -> {
                writing++;
                try {
                    ClientWriter writer = new ClientWriter(this, process, written());
                    if (isTransactional) {
                        writer.run(rows, transaction(process, engine, written()));
                    } else {
                        writer.run(
                                rows,
                                producer(
                                        process,
                                        engine,
                                        new SimulatedProducer(written().broker(), time, process, this::isFaulty),
                                        false));
                    }
                } finally {
                    writing--;
                }
            });
            if (isExactlyOnce) {
                process.actor(
                        "transformer",
                        () -> new ClientTransformer(
                                        this,
                                        written(),
                                        consumer(process, engine, written()),
                                        transaction(process, engine, read()))
                                .run());
            }
            process.actor("reader", () -> new ClientReader(this, read(), consumer(process, engine, read())).run());
        }

        /** Transactions that write a topic. At first some take over an id that may be in use. */
        private ClientTransaction transaction(SimulatedProcess process, Engine engine, Topic to) {
            return new ClientTransaction(this, to, isReplacement -> {
                boolean isTakenOver = !isReplacement && !transactionalIds.isEmpty() && time.random(2) == 0;
                String id = isTakenOver
                        ? transactionalIds.get(time.random(transactionalIds.size()))
                        : "id-" + transactionalIds.size();
                if (!isTakenOver) {
                    transactionalIds.add(id);
                }
                return producer(
                        process,
                        engine,
                        new SimulatedTransactionalProducer(
                                to.broker(),
                                written().broker(),
                                written().group(),
                                coordinator,
                                id,
                                time,
                                process,
                                this::isFaulty),
                        true);
            });
        }

        private ShuffleProducer<byte[], byte[]> producer(
                SimulatedProcess process, Engine engine, SimulatedProducer real, boolean isTransactional) {
            return new ShuffleProducer<>(new ProducerParts<>(
                    real.client(),
                    engine,
                    process.name() + "-" + opened++,
                    new ProducerWiring(
                            Mode.GENERAL,
                            TOPICS,
                            ProducerWiring.Writes.BLOBS,
                            isTransactional,
                            Duration.ofSeconds(30),
                            Duration.ofMinutes(2),
                            ClientPair.alone(),
                            ZONES,
                            process),
                    new RecordSerializer<>(new ByteArraySerializer(), new ByteArraySerializer()),
                    new ProducerInterceptorChain<>(List.of()),
                    new Partitioning(null, Partitioning.Keys.HASHED),
                    Duration.ofMinutes(1),
                    topic -> {},
                    unchanged -> 0,
                    Map::of,
                    () -> {}));
        }

        private ShuffleConsumer<byte[], byte[]> consumer(SimulatedProcess process, Engine engine, Topic topic) {
            boolean isAutomatic = topic == read() && time.random(3) == 0;
            return new ShuffleConsumer<>(ByteConsumers.parts(
                    SimulatedConsumer.of(topic.broker(), topic.group(), time, process, this::isFaulty),
                    engine,
                    new ConsumerWiring(
                            Mode.GENERAL,
                            process.name(),
                            TOPICS,
                            1 + time.random(8),
                            ClientPair.alone(),
                            Membership.none(),
                            process),
                    isAutomatic ? Duration.ofMillis(100 + time.random(1000)) : null,
                    () -> {}));
        }

        /** Injects faults, and drives the coordinator to the end. */
        private void supervise() {
            int strikes = 3 + time.random(8);
            while (!isDone()) {
                time.pause(Duration.ofMillis(20 + time.random(300)));
                coordinator.expire(time.nanos() - TRANSACTION.toNanos());
                for (Topic topic : topics) {
                    topic.group().expire(time.nanos() - SESSION.toNanos());
                    if (storm > 0) {
                        topic.group().shake();
                    }
                    topic.group().advance();
                }
                storm = Math.max(0, storm - 1);
                if (strikes > 0) {
                    strikes--;
                    strike();
                } else {
                    isCalm = true;
                }
            }
        }

        private void strike() {
            int kind = time.random(6);
            Topic topic = topics.get(time.random(topics.size()));
            if (kind == 0) {
                topic.group().shake();
            } else if (kind == 1) {
                storm = 1 + time.random(10);
            } else if (kind == 2) {
                processes.get(time.random(processes.size())).kill();
                startInstance();
            } else if (kind == 3) {
                int partition = time.random(partitions);
                OffsetAndMetadata commit = topic.broker().committed(partition);
                topic.broker().purge(partition, commit == null ? 0 : commit.offset());
            } else if (kind == 4) {
                outageEnd = time.nanos() + (hasFaults ? time.random(12_000) * 1_000_000L : 0);
            } else {
                startInstance();
            }
            if (topic.group() instanceof ClassicGroup classic && time.random(3) == 0) {
                classic.refuse(time.random(8000) * 1_000_000L);
            }
        }

        /** Pauses briefly; sometimes for as long as a session, which makes a zombie. */
        void pause(boolean mayBeLong) {
            boolean isLong = mayBeLong && !isQuiet() && time.random(40) == 0;
            time.pause(Duration.ofMillis(isLong ? time.random(6000) : time.random(30)));
        }
    }
}
