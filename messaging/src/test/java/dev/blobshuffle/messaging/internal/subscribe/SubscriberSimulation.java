package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.failure.LogException;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import dev.blobshuffle.log.failure.PositionTrimmedException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.entries.EncodedEntries;
import dev.blobshuffle.log.internal.entries.EntriesEncoder;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.log.internal.tail.LogTails;
import dev.blobshuffle.messaging.ReceivedRecord;
import dev.blobshuffle.messaging.Records;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.Subscription;
import dev.blobshuffle.messaging.TopicPartition;
import dev.blobshuffle.messaging.internal.topic.TopicCatalog;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.testkit.internal.log.LogCall;
import dev.blobshuffle.testkit.internal.log.LogDefect;
import dev.blobshuffle.testkit.internal.log.LogFaults;
import dev.blobshuffle.testkit.internal.log.LogOptions;
import dev.blobshuffle.testkit.internal.log.MemoryDatabase;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import dev.blobshuffle.testkit.internal.log.UserTable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * One schedule of a group. Members read, pause, seek back, die and become zombies. The log loses
 * requests, answers and hints, is unavailable, fails over, and trims consumed batches. Each member
 * inserts the records that it reads into a user's table, in the transaction that commits its
 * positions. In the end the table has every record once, in order per partition. Guarded by the
 * simulation's baton.
 */
final class SubscriberSimulation {
    private static final String TOPIC = "t";
    private static final int PARTITIONS = 5;
    private static final Duration CALM_LIMIT = Duration.ofMinutes(20);

    private final SimulatedTime time;
    private final MemoryDatabase database;
    private final BlobStore store;
    private final List<String> violations = new ArrayList<>();
    private final List<Member> members = new ArrayList<>();
    private final int records;
    private final Optional<SimulatedZone> zone;
    private final int[] published = new int[PARTITIONS];
    private LogTopic topic;
    private boolean isPublished;
    private boolean isCalm;
    private boolean isAway;
    private boolean isFinished;
    private int names;

    private SubscriberSimulation(SimulatedTime time, Set<LogDefect> defects) {
        this.time = time;
        database = new MemoryDatabase(time, LogOptions.DEFAULTS, new Plan(), defects);
        store = new MemoryBlobStore("simulated", 1L << 30);
        records = 40 + time.random(200);
        zone = time.random(2) == 0 ? Optional.empty() : Optional.of(new SimulatedZone(time, () -> isCalm));
    }

    /** Runs the schedule of a seed; returns its violations. */
    static List<String> run(long seed, Set<LogDefect> defects) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            SubscriberSimulation simulation = new SubscriberSimulation(time, defects);
            time.actor("supervisor", simulation::supervise);
            time.run();
            return simulation.violations;
        }
    }

    /** Number of batches that members of a schedule have sent to each other. */
    static long shared(long seed) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            SubscriberSimulation simulation = new SubscriberSimulation(time, Set.of());
            time.actor("supervisor", simulation::supervise);
            time.run();
            return simulation.zone.map(SimulatedZone::shared).orElse(0L);
        }
    }

    /** A fingerprint that two equal schedules share. */
    static long trace(long seed) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            time.actor("supervisor", new SubscriberSimulation(time, Set.of())::supervise);
            time.run();
            return time.trace();
        }
    }

    private final class Plan implements LogFaults {
        @Override
        public Fate next(LogCall call) {
            if (isCalm) {
                return new Fate(Loss.NOTHING, millis(5), millis(5));
            }
            if (isAway) {
                return new Fate(Loss.CONNECTION, Duration.ZERO, millis(50));
            }
            Loss loss = time.random(25) == 0 ? Loss.values()[time.random(Loss.values().length)] : Loss.NOTHING;
            return new Fate(loss, millis(30), millis(30));
        }

        @Override
        public Duration stall(LogCall call) {
            return !isCalm && time.random(10) == 0 ? millis(300) : Duration.ZERO;
        }

        @Override
        public boolean losesHint() {
            return !isCalm && time.random(3) == 0;
        }
    }

    private Duration millis(int bound) {
        return Duration.ofNanos(time.random(bound * 1_000_000));
    }

    private void supervise() {
        MemoryLog log = new MemoryLog(database, time);
        boolean isConsumedOnly = time.random(2) == 0;
        topic = retry(() -> await(log.topics().find(TOPIC)))
                .orElseGet(() -> retry(() -> {
                            await(log.topics()
                                    .create(
                                            TOPIC,
                                            PARTITIONS,
                                            isConsumedOnly
                                                    ? new RetentionRule.UntilConsumed()
                                                    : new RetentionRule.Forever()));
                            return await(log.topics().find(TOPIC));
                        })
                        .orElseThrow());
        int count = 1 + time.random(4);
        for (int i = 0; i < count; i++) {
            start();
        }
        time.actor("publisher", () -> publish(log));
        int strikes = time.random(15);
        for (int i = 0; i < strikes && violations.isEmpty(); i++) {
            time.pause(Duration.ofMillis(200 + time.random(6000)));
            strike(log);
        }
        isCalm = true;
        members.forEach(member -> member.cut.cut(false));
        if (members.stream().noneMatch(member -> member.process.isAlive() && !member.isLeaving)) {
            start();
        }
        awaitEnd(log);
        isFinished = true;
    }

    private void strike(MemoryLog log) {
        Member member = members.get(time.random(members.size()));
        switch (time.random(7)) {
            case 0 -> member.process.kill();
            case 1 -> start();
            case 2 -> {
                member.cut.cut(true);
                time.schedule(Duration.ofSeconds(5 + time.random(20)), () -> member.cut.cut(false));
            }
            case 3 -> {
                isAway = true;
                time.schedule(Duration.ofMillis(time.random(30_000)), () -> isAway = false);
            }
            case 4 -> database.failOver();
            case 5 -> retry(() -> await(log.retention().trim()));
            default -> member.isLeaving = true;
        }
    }

    private void start() {
        Member member = new Member("member-" + names++);
        members.add(member);
        member.process.actor("reader", member::run);
    }

    private void publish(MemoryLog log) {
        ShuffleEngine engine = ShuffleEngine.builder(store, time).build();
        EntriesEncoder encoder = new EntriesEncoder(1024 + time.random(2000));
        Lane lane = engine.lane("publisher", new EncodingChannel(encoder));
        Writer writer = retry(() -> await(log.open("publisher")));
        long number = writer.firstNumber();
        int left = records;
        while (left > 0) {
            boolean isPlain = time.random(2) == 0;
            int some = Math.min(left, 1 + time.random(20));
            for (int i = 0; i < some; i++) {
                int partition = time.random(PARTITIONS);
                byte[] value = (partition + ":" + published[partition]++).getBytes(StandardCharsets.UTF_8);
                if (isPlain) {
                    encoder.record(partition, time.wallMillis(), null, value, Headers.NONE);
                } else {
                    lane.output(new Partition(TOPIC, partition), Zone.SINGLE)
                            .append(time.wallMillis(), null, value, Headers.NONE);
                }
            }
            left -= some;
            lane.flush(Duration.ofMinutes(1));
            List<LogBatch> batches = encoder.finish().stream().map(this::batch).toList();
            long first = number;
            retry(() -> await(writer.commit(first, batches, Optional.empty())));
            number += batches.size();
            if (time.random(3) > 0) {
                retry(() -> await(log.sequence(topic.number())));
            }
            time.pause(Duration.ofMillis(time.random(2000)));
        }
        isPublished = true;
        lane.close();
        engine.close();
    }

    private LogBatch batch(EncodedEntries encoded) {
        return new LogBatch(topic.number(), encoded.entries(), encoded.blobs(), encoded.bytes(), encoded.latest());
    }

    private <T> T await(java.util.concurrent.CompletionStage<T> stage) {
        return CommitLogs.await(stage, Duration.ofSeconds(30), "go on", time);
    }

    private <T> T retry(Supplier<T> call) {
        while (true) {
            try {
                return call.get();
            } catch (LogException e) {
                time.pause(Duration.ofMillis(100));
            }
        }
    }

    private void awaitEnd(MemoryLog log) {
        long deadline = time.nanos() + CALM_LIMIT.toNanos();
        while (violations.isEmpty() && !(isPublished && database.rows().size() >= records)) {
            if (time.nanos() - deadline > 0) {
                violations.add("only " + database.rows().size() + " of " + records + " records came; published: "
                        + isPublished + ", group: "
                        + await(log.groups().describe("g")) + ", topic: "
                        + await(log.look(Set.of(topic.number()))) + ", members: "
                        + members.stream().map(Member::toString).toList());
                return;
            }
            time.pause(Duration.ofMillis(500));
        }
        if (violations.isEmpty()) {
            check();
        }
    }

    private void check() {
        Map<String, Integer> next = new HashMap<>();
        Set<String> seen = new HashSet<>();
        for (String row : database.rows()) {
            if (!seen.add(row)) {
                violations.add("a record came twice: " + row);
            }
            String[] parts = row.split(":");
            int expected = next.merge(parts[0], 1, Integer::sum) - 1;
            if (expected != Integer.parseInt(parts[1])) {
                violations.add("record " + row + " came as number " + expected + " of its partition");
                return;
            }
        }
    }

    /** Encodes a lane's segments. */
    private record EncodingChannel(EntriesEncoder encoder) implements Channel {
        @Override
        public void send(Partition partition, Notification sent, long earliest, long latest, Delivery delivery) {
            encoder.segment(partition.number(), sent, earliest, latest);
            delivery.delivered();
        }

        @Override
        public void send(Partition partition, SegmentRecords sent, Delivery delivery) {
            throw new AssertionError("nothing is inlined");
        }

        @Override
        public void flush() {}
    }

    /** A process with one subscriber. */
    private final class Member {
        private final String name;
        private final SimulatedProcess process;
        private final CutLog cut;
        private boolean isLeaving;
        private String said = "";

        private Member(String name) {
            this.name = name;
            process = time.process(name);
            cut = new CutLog(new MemoryLog(database, process));
        }

        @Override
        public String toString() {
            return name + (process.isAlive() ? "" : " killed") + (isLeaving ? " leaving" : "") + " " + said;
        }

        void run() {
            CommitLog log = cut.log();
            ShuffleEngine engine = ShuffleEngine.builder(store, process).build();
            long budget = 1L << (8 + time.random(12));
            LogTails tails = zone.map(shared -> shared.open(log, process, budget))
                    .orElseGet(() -> new LogTails(log, budget, process));
            SubscriberParts parts = new SubscriberParts(
                    log,
                    new TopicCatalog(log, process),
                    tails,
                    engine,
                    Membership.none(),
                    Zone.SINGLE,
                    process,
                    closed -> {});
            Subscription subscription = Subscription.of("g", TOPIC)
                    .maxRecords(1 + time.random(20))
                    // Some pauses are longer.
                    .maxPollInterval(Duration.ofSeconds(3 + time.random(20)));
            LogSubscriber<byte[], String> subscriber = retry(
                    () -> LogSubscriber.open(parts, subscription, Serde.bytes(), Serde.string(), Optional.empty()));
            Session session = new Session(log, subscriber);
            while (!isFinished && !isLeaving && violations.isEmpty()) {
                step(subscriber, session);
            }
            subscriber.close();
            tails.close();
            long lag = engine.metrics().value(Gauge.LAG_RECORDS);
            long held = engine.metrics().value(Gauge.READ_BUFFER_USED);
            if (lag != 0 || held != 0) {
                violations.add(name + " ended with a lag of " + lag + " and " + held + " bytes of its read buffer");
            }
            engine.close();
        }

        private void step(LogSubscriber<byte[], String> subscriber, Session session) {
            try {
                Records<byte[], String> polled = subscriber.poll(Duration.ofMillis(time.random(700)));
                polled.forEach(record -> session.add(record));
                if (time.random(12) == 0) {
                    session.rollBack();
                } else if (time.random(3) > 0) {
                    session.commit();
                }
                pauseSome(subscriber);
                if (time.random(30) == 0) {
                    time.pause(Duration.ofSeconds(time.random(15)));
                }
            } catch (PositionTrimmedException e) {
                violations.add(name + " was told that a position is gone: " + e.getMessage());
            } catch (BlobShuffleException e) {
                said = e.toString();
                session.rollBack();
                time.pause(Duration.ofMillis(50));
            }
        }

        private void pauseSome(LogSubscriber<byte[], String> subscriber) {
            Set<TopicPartition> owned = subscriber.assignment();
            for (int i = 0; i < PARTITIONS; i++) {
                TopicPartition each = new TopicPartition(TOPIC, i);
                if (!owned.contains(each)) {
                    continue;
                }
                if (time.random(10) == 0) {
                    subscriber.pause(Set.of(each));
                } else if (isCalm || time.random(3) == 0) {
                    subscriber.resume(Set.of(each));
                }
            }
        }

        /** The uncommitted records of a member. */
        private final class Session {
            private final CommitLog log;
            private final LogSubscriber<byte[], String> subscriber;
            private final List<String> rows = new ArrayList<>();
            private Writer writer;
            private long number;

            private Session(CommitLog log, LogSubscriber<byte[], String> subscriber) {
                this.log = log;
                this.subscriber = subscriber;
                open();
            }

            private void open() {
                writer = retry(() -> await(log.open(name)));
                number = writer.firstNumber();
            }

            void add(ReceivedRecord<byte[], String> record) {
                rows.add(record.value());
            }

            void rollBack() {
                rows.clear();
                subscriber.rollBack();
            }

            void commit() {
                Optional<Consumed> consumed = subscriber.consumed();
                if (consumed.isEmpty()) {
                    return;
                }
                boolean isDone = false;
                try (LogTransaction transaction = await(writer.begin())) {
                    UserTable table = transaction.unwrap(UserTable.class);
                    rows.forEach(table::insert);
                    transaction.commit(number, List.of(), consumed);
                    isDone = true;
                    number++;
                } catch (OutcomeUnknownException e) {
                    isDone = retry(() -> await(writer.wasCommitted(number)));
                    open();
                } finally {
                    if (!isDone) {
                        rollBack();
                    }
                }
                if (isDone) {
                    rows.clear();
                    subscriber.committed();
                }
            }
        }
    }
}
