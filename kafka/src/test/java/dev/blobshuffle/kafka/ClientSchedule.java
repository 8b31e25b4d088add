package dev.blobshuffle.kafka;

import dev.blobshuffle.core.batch.BatcherOptions;
import dev.blobshuffle.core.engine.ShuffleEngine;
import dev.blobshuffle.core.format.Partition;
import dev.blobshuffle.core.membership.Member;
import dev.blobshuffle.core.membership.Membership;
import dev.blobshuffle.core.membership.ZoneMap;
import dev.blobshuffle.core.shuffle.Engine;
import dev.blobshuffle.core.store.MemoryBlobStore;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.testkit.Fault;
import dev.blobshuffle.testkit.FaultPlan;
import dev.blobshuffle.testkit.FaultyBlobStore;
import dev.blobshuffle.testkit.SimulatedProcess;
import dev.blobshuffle.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of Kafka's front door: real {@code BlobProducer}s and {@code BlobConsumer}s over a
 * simulated log and group. Members come, stand still until they are fenced, go on as zombies, and are
 * killed; partitions move; the store and the brokers fail; the log is purged; readers seek and pause.
 * A seed decides everything. Made by its name: the mutants are hunted with it.
 */
public final class ClientSchedule implements LongFunction<String[]> {
    private static final Duration FAULTY = Duration.ofSeconds(20);
    private static final Duration SESSION = Duration.ofSeconds(2);

    private static final TopicMatcher TOPICS = TopicMatcher.of(List.of("blob-.*"), List.of());

    /** Nobody knows where readers are. */
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

    @Override
    public String[] apply(long seed) {
        return run(seed).toArray(new String[0]);
    }

    /** The violations of a seed's schedule. */
    static List<String> run(long seed) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            Run run = new Run(time);
            try {
                return run.violations();
            } catch (AssertionError e) {
                List<String> all = new ArrayList<>(run.ledger.violations());
                all.add(e.getMessage() + (e.getCause() == null ? "" : ": " + trace(e.getCause())));
                return all;
            }
        }
    }

    /** A number that two runs of one seed share. */
    static long trace(long seed) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            new Run(time).violations();
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

    /** The world of one schedule. Guarded by the simulation's baton. */
    static final class Run {
        final SimulatedTime time;
        final SimulatedBroker broker;
        final ClientLedger ledger;
        private final FaultyBlobStore store;
        private final MemoryBlobStore stored = new MemoryBlobStore("clients", 64 << 20);
        private final int instances;
        private final int rows;
        private final boolean hasFaults;
        private final BatcherOptions.Builder batching;
        private final List<SimulatedProcess> processes = new ArrayList<>();
        private int writing;
        private int started;
        private boolean isCalm;

        Run(SimulatedTime time) {
            this.time = time;
            broker = new SimulatedBroker(1 + time.random(3));
            instances = 1 + time.random(3);
            rows = 20 + time.random(60);
            hasFaults = time.random(4) > 0;
            batching = BatcherOptions.builder()
                    .batchBytes(1L << (8 + time.random(6)))
                    .delay(Duration.ofMillis(1 + time.random(200)))
                    .inlineBytes(time.random(3) == 0 ? 1L << (5 + time.random(5)) : 0)
                    .deliveryTimeout(Duration.ofMillis(500 + time.random(10_000)));
            List<Fault.Kind> kinds = List.of(
                    Fault.Kind.FAIL_BEFORE,
                    Fault.Kind.FAIL_AFTER,
                    Fault.Kind.THROTTLE,
                    Fault.Kind.TRUNCATE,
                    Fault.Kind.FLIP);
            int perThousand = hasFaults ? time.random(200) : 0;
            FaultPlan faulty = FaultPlan.random(time, perThousand, Duration.ofMillis(60), kinds);
            FaultPlan sound = FaultPlan.random(time, 0, Duration.ofMillis(60), kinds);
            store = new FaultyBlobStore(stored, time, request -> (isQuiet() ? sound : faulty).next(request));
            ledger = new ClientLedger(broker, stored);
        }

        List<String> violations() {
            for (int i = 0; i < instances; i++) {
                startInstance();
            }
            time.actor("supervisor", this::supervise);
            time.run();
            if (ledger.violations().isEmpty()) {
                time.settle(Duration.ofMinutes(1));
                ledger.checkEnd();
            }
            store.close();
            return ledger.violations();
        }

        boolean isQuiet() {
            return time.elapsed().compareTo(FAULTY) > 0;
        }

        /** Whether a request to the brokers goes wrong now. */
        boolean isFaulty() {
            return hasFaults && !isQuiet() && time.random(12) == 0;
        }

        boolean isDone() {
            return isCalm && writing == 0 && broker.isConsumed()
                    || !ledger.violations().isEmpty();
        }

        private void startInstance() {
            SimulatedProcess process = time.process("instance-" + started++);
            processes.add(process);
            Engine engine = ShuffleEngine.builder(store, process)
                    .batching(batching.build())
                    .readBufferBytes(time.random(3) == 0 ? 1 : 1 << 20)
                    .build();
            process.actor("writer", () -> {
                writing++;
                try {
                    new ClientWriter(this, process, producer(process, engine)).run(rows);
                } finally {
                    writing--;
                }
            });
            process.actor("reader", () -> new ClientReader(this, process, engine).run());
        }

        private BlobProducer<byte[], byte[]> producer(SimulatedProcess process, Engine engine) {
            return new BlobProducer<>(new ProducerParts<>(
                    new SimulatedProducer(broker, time, process, this::isFaulty).client(),
                    engine,
                    process.name(),
                    new ProducerWiring(
                            Mode.GENERAL,
                            TOPICS,
                            ProducerWiring.Writes.BLOBS,
                            false,
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
                    Map::of,
                    () -> {}));
        }

        BlobConsumer<byte[], byte[]> consumer(SimulatedProcess process, Engine engine) {
            return new BlobConsumer<>(new ConsumerParts<>(
                    new SimulatedConsumer(broker, time, process, this::isFaulty).client(),
                    engine,
                    new ConsumerWiring(
                            Mode.GENERAL,
                            process.name(),
                            TOPICS,
                            1 + time.random(8),
                            ClientPair.alone(),
                            Membership.none(),
                            process),
                    new RecordDeserializer.Bytes(),
                    new ConsumerInterceptorChain<>(List.of()),
                    time.random(3) == 0 ? Duration.ofMillis(100 + time.random(1000)) : null,
                    Duration.ofMinutes(1),
                    Map::of,
                    () -> {}));
        }

        /** Lets chaos happen, and the coordinator do its work to the end. */
        private void supervise() {
            int strikes = 3 + time.random(8);
            while (!isDone()) {
                time.pause(Duration.ofMillis(20 + time.random(300)));
                broker.expire(time.nanos() - SESSION.toNanos());
                assign();
                if (strikes > 0) {
                    strikes--;
                    strike();
                } else {
                    isCalm = true;
                }
            }
        }

        private void assign() {
            List<Integer> members = broker.members();
            for (int partition = 0; partition < broker.partitions() && !members.isEmpty(); partition++) {
                if (broker.isTargetless(partition)) {
                    broker.target(partition, members.get(time.random(members.size())));
                }
            }
        }

        private void strike() {
            int kind = time.random(5);
            List<Integer> members = broker.members();
            int partition = time.random(broker.partitions());
            if (kind <= 1 && !members.isEmpty()) {
                broker.target(partition, members.get(time.random(members.size())));
            } else if (kind == 2) {
                processes.get(time.random(processes.size())).kill();
                startInstance();
            } else if (kind == 3) {
                OffsetAndMetadata commit = broker.committed(partition);
                broker.purge(partition, commit == null ? 0 : commit.offset());
            } else {
                startInstance();
            }
        }

        /** Something a moment later; now and then as long as a session, which makes a zombie. */
        void pause(boolean mayBeLong) {
            boolean isLong = mayBeLong && !isQuiet() && time.random(40) == 0;
            time.pause(Duration.ofMillis(isLong ? time.random(6000) : time.random(30)));
        }

        @Nullable
        OffsetAndMetadata committed(int partition) {
            return broker.committed(partition);
        }
    }
}
