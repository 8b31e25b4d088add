package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.entries.EncodedEntries;
import dev.blobshuffle.log.internal.entries.EntriesEncoder;
import dev.blobshuffle.log.internal.tail.LogTails;
import dev.blobshuffle.messaging.Header;
import dev.blobshuffle.messaging.ReceivedRecord;
import dev.blobshuffle.messaging.Records;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.Subscription;
import dev.blobshuffle.messaging.internal.topic.TopicCatalog;
import dev.blobshuffle.simulator.Actor;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.testkit.internal.log.LogCall;
import dev.blobshuffle.testkit.internal.log.LogFaults;
import dev.blobshuffle.testkit.internal.log.LogOptions;
import dev.blobshuffle.testkit.internal.log.MemoryDatabase;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Subscribers with a log and a store in memory, in virtual time. Used by actors of the simulation.
 */
final class SubscriberFixture implements AutoCloseable {
    static final String TOPIC = "t";
    static final int PARTITIONS = 4;

    final SimulatedTime time;
    final Plan plan = new Plan();
    final MemoryDatabase database;
    final MemoryLog log;
    final ShuffleEngine engine;
    final LogTopic topic;
    final TopicCatalog catalog;
    final LogTails tails;
    final Letters letters = new Letters();
    private final Lane lane;
    private final EntriesEncoder encoder = new EntriesEncoder(4096);
    private final Writer writer;
    private long number;

    SubscriberFixture() {
        this(11);
    }

    SubscriberFixture(long seed) {
        time = new SimulatedTime(seed);
        database = new MemoryDatabase(time, LogOptions.DEFAULTS, plan, Set.of());
        log = new MemoryLog(database, time);
        engine = ShuffleEngine.builder(new MemoryBlobStore("subscriber", 1L << 30), time)
                .build();
        topic = log.topics()
                .create(TOPIC, PARTITIONS, new RetentionRule.Forever())
                .toCompletableFuture()
                .join()
                .orElseThrow();
        writer = log.open("writer").toCompletableFuture().join();
        number = writer.firstNumber();
        catalog = new TopicCatalog(log, time);
        tails = new LogTails(log, 1 << 20, time);
        lane = engine.lane("writer", new Channel() {
            @Override
            public void send(Partition partition, Notification sent, long earliest, long latest, Delivery delivery) {
                synchronized (encoder) {
                    encoder.segment(partition.number(), sent, earliest, latest);
                }
                delivery.delivered();
            }

            @Override
            public void send(Partition partition, SegmentRecords records, Delivery delivery) {
                throw new AssertionError("nothing is inlined");
            }

            @Override
            public void flush() {}
        });
    }

    /** A plan of faults. */
    static final class Plan implements LogFaults {
        final Set<LogCall> away = EnumSet.noneOf(LogCall.class);

        @Override
        public Fate next(LogCall call) {
            return away.contains(call) ? new Fate(Loss.CONNECTION, Duration.ZERO, Duration.ZERO) : Fate.SMOOTH;
        }
    }

    /** Dead letters in memory. */
    static final class Letters implements DeadLetters {
        final List<PlainRecord> sent = new ArrayList<>();
        int flushes;

        @Override
        public void send(long timestamp, byte @Nullable [] key, byte @Nullable [] value, List<Header> headers) {
            sent.add(new PlainRecord(timestamp, key, value, headers));
        }

        @Override
        public void flush() {
            flushes++;
        }

        @Override
        public void close() {}
    }

    /** Runs a test's body as an actor. */
    void run(Actor.Body body) {
        time.actor("test", body);
        time.run();
    }

    /** Publishes values through a blob, as one batch. */
    void publish(int partition, String... values) {
        for (String value : values) {
            append(partition, value);
        }
        commit();
    }

    /** Appends a value to the next blob. */
    void append(int partition, String value) {
        lane.output(new Partition(TOPIC, partition), Zone.SINGLE)
                .append(time.wallMillis(), null, bytes(value), Headers.NONE);
    }

    /** Publishes values as plain records, as one batch. */
    void publishPlain(int partition, String... values) {
        for (String value : values) {
            encoder.record(partition, time.wallMillis(), null, bytes(value), Headers.NONE);
        }
        commit();
    }

    /** Publishes a value as a plain record that is not sequenced yet. */
    void stage(int partition, String value) {
        encoder.record(partition, time.wallMillis(), null, bytes(value), Headers.NONE);
        commitOnly();
    }

    /** Commits everything appended and sequences it. */
    void commit() {
        commitOnly();
        await(log.sequence(topic.number()));
    }

    private void commitOnly() {
        lane.flush(Duration.ofSeconds(10));
        List<EncodedEntries> batches = encoder.finish();
        await(writer.commit(
                number,
                batches.stream()
                        .map(each ->
                                new LogBatch(topic.number(), each.entries(), each.blobs(), each.bytes(), each.latest()))
                        .toList(),
                Optional.empty()));
        number += batches.size();
    }

    /** Publishes an undecodable batch. */
    void publishGarbage() {
        await(writer.commit(
                number++,
                List.of(new LogBatch(topic.number(), new byte[] {1, 2, 3}, Set.of(), 0, 0)),
                Optional.empty()));
        await(log.sequence(topic.number()));
    }

    static byte[] bytes(String value) {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    <T> T await(CompletionStage<T> stage) {
        return CommitLogs.await(stage, Duration.ofSeconds(30), "test", time);
    }

    SubscriberParts parts() {
        return new SubscriberParts(log, catalog, tails, engine, Membership.none(), Zone.SINGLE, time, subscriber -> {});
    }

    LogSubscriber<byte[], String> open(Subscription subscription) {
        return open(subscription, Serde.string());
    }

    LogSubscriber<byte[], String> open(Subscription subscription, Serde<String> values) {
        Optional<DeadLetters> dead = subscription.deadLetters().map(any -> letters);
        return LogSubscriber.open(parts(), subscription, Serde.bytes(), values, dead);
    }

    /** Polls until a number of values have arrived, or ten seconds have passed. */
    List<String> take(LogSubscriber<byte[], String> subscriber, int count) {
        List<String> taken = new ArrayList<>();
        long deadline = time.nanos() + Duration.ofSeconds(10).toNanos();
        while (taken.size() < count && time.nanos() - deadline < 0) {
            values(subscriber.poll(Duration.ofMillis(500))).forEach(taken::add);
        }
        return taken;
    }

    static List<String> values(Records<byte[], String> records) {
        return records.all().stream().map(ReceivedRecord::value).toList();
    }

    @Override
    public void close() {
        lane.close();
        tails.close();
        engine.close();
        time.close();
    }
}
