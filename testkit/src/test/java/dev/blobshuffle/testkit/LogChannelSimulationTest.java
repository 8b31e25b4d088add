package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordCursor;
import dev.blobshuffle.core.internal.format.record.SegmentReader;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.store.StoreHalves;
import dev.blobshuffle.core.internal.store.opening.TwoSpeedBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import dev.blobshuffle.log.failure.WriterFencedException;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.entries.Entries;
import dev.blobshuffle.log.internal.entries.EntriesCodec;
import dev.blobshuffle.log.internal.publish.Acknowledgements;
import dev.blobshuffle.log.internal.publish.LogChannel;
import dev.blobshuffle.log.internal.publish.Sequencer;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.testkit.internal.log.LogCall;
import dev.blobshuffle.testkit.internal.log.LogFaults;
import dev.blobshuffle.testkit.internal.log.LogOptions;
import dev.blobshuffle.testkit.internal.log.MemoryDatabase;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * Publishers over a log that loses requests and answers, fails over and stands still, and a store
 * that fails. Each record is in the log once if it was acknowledged, never if it was refused, and
 * at most once if nobody knows; each lane's records are there in order, without a gap between two
 * discards. {@code -Dlog.seeds=N} runs more schedules.
 */
class LogChannelSimulationTest {
    private static final int SEEDS = Integer.getInteger("log.seeds", 100);
    private static final int PARTITIONS = 3;
    private static final Zone ZONE = new Zone("a");

    @Test
    void everySchedulePublishesOnceAndInOrder() {
        Map<String, Integer> outcomes = new HashMap<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            try (SimulatedTime time = new SimulatedTime(seed);
                    MemoryBlobStore memory = new MemoryBlobStore("test", 64 << 20)) {
                World world = new World(time, memory);
                world.run();
                world.check();
                world.outcomes.values().forEach(each -> outcomes.merge(each.name(), 1, Integer::sum));
                outcomes.merge("fenced", world.fenced, Integer::sum);
                outcomes.merge("transactions", world.transactions, Integer::sum);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("Seed " + seed + ": " + e.getMessage(), e);
            }
        }
        assertThat(outcomes.keySet()).contains("COMMITTED", "REFUSED", "UNKNOWN", "fenced", "transactions");
    }

    /** The log has a record early. Its publisher gets an answer when the blob is durable. */
    @Test
    void withTwoSpeedsNothingIsAcknowledgedBeforeItIsDurable() {
        Map<String, Integer> outcomes = new HashMap<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            try (SimulatedTime time = new SimulatedTime(seed);
                    MemoryBlobStore fast = new MemoryBlobStore("fast", 64 << 20);
                    MemoryBlobStore durable = new MemoryBlobStore("durable", 64 << 20)) {
                World world = new World(time, fast);
                world.keepIn(durable);
                world.run();
                world.check();
                world.outcomes.values().forEach(each -> outcomes.merge(each.name(), 1, Integer::sum));
                outcomes.merge("lost", world.lost.size(), Integer::sum);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("Seed " + seed + ": " + e.getMessage(), e);
            }
        }
        assertThat(outcomes.keySet()).contains("COMMITTED", "REFUSED", "UNKNOWN");
        assertThat(outcomes.get("lost")).isPositive();
    }

    private enum Outcome {
        COMMITTED,
        REFUSED,
        UNKNOWN
    }

    private static final class World {
        private final SimulatedTime time;
        private final MemoryDatabase database;
        private final Set<String> lost = new HashSet<>();
        private BlobStore store;
        private Optional<DurableStore> durable = Optional.empty();
        private final MemoryLog observer;
        private final Map<String, Outcome> outcomes = new LinkedHashMap<>();
        private final Map<String, List<String>> published = new LinkedHashMap<>();
        private final int faults;
        private boolean isCalm;
        private LogTopic topic;
        private int writing;
        private int fenced;
        private int transactions;

        World(SimulatedTime time, MemoryBlobStore memory) {
            this.time = time;
            faults = time.random(4);
            database = new MemoryDatabase(time, LogOptions.DEFAULTS, new Faults(this), Set.of());
            store = new FailingStore(memory, this);
            observer = new MemoryLog(database, time);
        }

        /** Makes the store a fast one beside a durable one. */
        void keepIn(MemoryBlobStore memory) {
            DurableStore slow = new DurableStore(memory, this);
            durable = Optional.of(slow);
            store = new TwoSpeedBlobStore(new StoreHalves(store, slow), time, new ShuffleMetrics(time));
        }

        boolean fails(int percent) {
            return !isCalm && faults > 0 && time.random(100) < percent * faults;
        }

        void run() {
            isCalm = true;
            topic = observer.topics()
                    .create("t", PARTITIONS, new RetentionRule.Forever())
                    .toCompletableFuture()
                    .join()
                    .orElseThrow();
            isCalm = false;
            int writers = 1 + time.random(3);
            for (int i = 0; i < writers; i++) {
                int number = i;
                writing++;
                // Two of three share a name, so one fences the other.
                time.actor("writer-" + i, () -> new Publishing(this, "p" + number / 2, "w" + number).write());
            }
            time.actor("chaos", () -> {
                while (writing > 0) {
                    time.pause(Duration.ofMillis(200 + time.random(2000)));
                    if (fails(10)) {
                        database.failOver();
                    }
                    if (durable.isPresent() && fails(5)) {
                        durable.get().fail();
                    }
                }
                isCalm = true;
            });
            time.run();
            time.settle(Duration.ofMinutes(5));
        }

        void check() {
            Map<String, List<Integer>> log = readLog();
            Set<String> seen = new HashSet<>();
            published.forEach((lane, records) -> {
                List<Integer> found = log.getOrDefault(lane, List.of());
                assertThat(found).as("order of %s", lane).isSorted().doesNotHaveDuplicates();
                for (int i = 0; i < found.size(); i++) {
                    assertThat(found.get(i)).as("gap in %s: %s", lane, found).isEqualTo(i);
                }
                for (int i = 0; i < records.size(); i++) {
                    String record = records.get(i);
                    seen.add(record);
                    Outcome outcome = outcomes.get(record);
                    assertThat(outcome).as("outcome of %s", record).isNotNull();
                    assertThat(outcome == Outcome.COMMITTED && lost.contains(record))
                            .as("%s is committed and lost", record)
                            .isFalse();
                    if (outcome != Outcome.UNKNOWN) {
                        assertThat(found.contains(i))
                                .as("%s is %s", record, outcome)
                                .isEqualTo(outcome == Outcome.COMMITTED);
                    }
                }
            });
            assertThat(published.keySet()).containsAll(log.keySet());
            assertThat(seen).hasSameSizeAs(outcomes.keySet());
        }

        /** Per lane and partition, the numbers of the records in the log, in its order. */
        private Map<String, List<Integer>> readLog() {
            boolean isStaged = observer.look(Set.of(topic.number()))
                    .toCompletableFuture()
                    .join()
                    .get(0)
                    .isStaged();
            // Whoever does not know of its commit does not ask for sequencing: readers do.
            assertThat(isStaged && !outcomes.containsValue(Outcome.UNKNOWN)).isFalse();
            observer.sequence(topic.number()).toCompletableFuture().join();
            List<SequencedBatch> batches = observer.read(
                            new ReadRequest(topic.number(), 0, Integer.MAX_VALUE, Long.MAX_VALUE, Optional.empty()))
                    .toCompletableFuture()
                    .join();
            Map<String, List<Integer>> result = new HashMap<>();
            for (SequencedBatch batch : batches) {
                for (Entries.Run run :
                        EntriesCodec.decode(batch.entries(), partition -> true).runs()) {
                    for (String value : values(run)) {
                        String[] parts = value.split("#");
                        assertThat(parts[0]).endsWith("/" + run.partition());
                        result.computeIfAbsent(parts[0], ignored -> new ArrayList<>())
                                .add(Integer.parseInt(parts[1]));
                    }
                }
            }
            return result;
        }

        private List<String> values(Entries.Run run) {
            List<String> values = new ArrayList<>();
            if (run instanceof Entries.PlainRun plain) {
                RecordCursor cursor = new RecordCursor();
                plain.reset(cursor);
                while (cursor.next()) {
                    values.add(new String(cursor.value(), StandardCharsets.UTF_8));
                }
            } else if (run instanceof Entries.SegmentRun segment) {
                Notification notification = segment.notification();
                SegmentReader reader = new SegmentReader(
                        notification,
                        new Partition("t", run.partition()),
                        Keyring.none(),
                        SegmentReader.Memory.UNLIMITED);
                reader.input(store.get(
                                notification.blob(),
                                BlobRange.of(notification.segmentOffset(), notification.segmentLength()))
                        .toCompletableFuture()
                        .join()
                        .buffer());
                boolean isLost = durable.isPresent() && !durable.get().has(notification.blob());
                while (reader.next()) {
                    String value = new String(reader.value(), StandardCharsets.UTF_8);
                    values.add(value);
                    if (isLost) {
                        lost.add(value.substring(0, value.lastIndexOf('#')));
                    }
                }
            }
            return values;
        }
    }

    /** One publisher: an engine, a client of the log and a lane. */
    private static final class Publishing implements Acknowledgements {
        private final World world;
        private final SimulatedTime time;
        private final String writerName;
        private final String name;
        private final Map<Partition, Deque<String>> waiting = new HashMap<>();
        private int epoch;

        Publishing(World world, String writerName, String name) {
            this.world = world;
            time = world.time;
            this.writerName = writerName;
            this.name = name;
        }

        void write() {
            MemoryLog log = new MemoryLog(world.database, time);
            BatcherOptions options = BatcherOptions.builder()
                    .delay(Duration.ofMillis(20 + time.random(200)))
                    .batchBytes(2_000)
                    .chunkBytes(1024)
                    .inlineBytes(time.random(2) * 300L)
                    .deliveryTimeout(Duration.ofSeconds(20))
                    .maxBlock(Duration.ofSeconds(5))
                    .build();
            ShuffleEngine engine =
                    ShuffleEngine.builder(world.store, time).batching(options).build();
            try (Sequencer sequencer = new Sequencer(log, time)) {
                Duration timeout = Duration.ofMillis(300 + time.random(20_000));
                LogChannel channel =
                        new LogChannel(open(log), ignored -> world.topic.number(), this, sequencer, time, timeout);
                Lane lane = engine.lane(name, channel);
                for (int round = 0; round < 30 && channel.end().isEmpty(); round++) {
                    if (time.random(6) == 0) {
                        transact(log, lane, channel);
                    } else {
                        publish(lane, channel);
                    }
                    time.pause(Duration.ofMillis(time.random(150)));
                }
                end(lane, channel);
                channel.end().filter(WriterFencedException.class::isInstance).ifPresent(ignored -> world.fenced++);
                time.pause(Duration.ofSeconds(30)); // Its sequencer goes on.
            } finally {
                world.writing--;
                engine.close();
                log.close();
            }
        }

        private void end(Lane lane, LogChannel channel) {
            try {
                lane.flush(Duration.ofSeconds(40));
            } catch (BlobShuffleException e) {
                lost(lane, channel, e);
            }
            lane.close();
            channel.close();
            failed(new ClosedException("closed"));
        }

        private Writer open(MemoryLog log) {
            while (true) {
                try {
                    return CommitLogs.await(log.open(writerName), Duration.ofSeconds(20), "open", time);
                } catch (BlobShuffleException e) {
                    time.pause(Duration.ofMillis(100));
                }
            }
        }

        private void publish(Lane lane, LogChannel channel) {
            try {
                append(lane);
                if (time.random(4) == 0) {
                    lane.flush(Duration.ofMillis(500 + time.random(30_000)));
                }
            } catch (BlobShuffleException e) {
                lost(lane, channel, e);
            }
        }

        private void append(Lane lane) {
            for (int i = time.random(12); i > 0; i--) {
                Partition partition = new Partition("t", time.random(PARTITIONS));
                String key = name + "." + epoch + "/" + partition.number();
                List<String> records = world.published.computeIfAbsent(key, ignored -> new ArrayList<>());
                String record = key + "#" + records.size();
                Deque<String> queue = waiting.computeIfAbsent(partition, ignored -> new ArrayDeque<>());
                byte[] value = (record + "#" + "x".repeat(time.random(200))).getBytes(StandardCharsets.UTF_8);
                records.add(record);
                queue.addLast(record);
                lane.output(partition, ZONE).append(1, null, value, Headers.NONE);
            }
        }

        /** A record that could not be appended is refused as well. */
        private void lost(Lane lane, LogChannel channel, BlobShuffleException cause) {
            lane.discard();
            channel.drop(cause);
            failed(cause);
            epoch++;
        }

        private void transact(MemoryLog log, Lane lane, LogChannel channel) {
            LogTransaction transaction = null;
            try {
                lane.flush(Duration.ofSeconds(30));
                channel.hold();
                append(lane);
                lane.flush(Duration.ofSeconds(30));
                if (time.random(5) == 0) {
                    throw new ClosedException("rolled back");
                }
                transaction = CommitLogs.await(writer(channel).begin(), Duration.ofSeconds(20), "begin", time);
                channel.commitInto(transaction, Optional.empty());
                world.transactions++;
            } catch (BlobShuffleException e) {
                lost(lane, channel, e);
            } finally {
                if (transaction != null) {
                    transaction.close();
                }
            }
        }

        private Writer writer(LogChannel channel) {
            return channel.writer();
        }

        @Override
        public synchronized Taken take(Partition partition, int records) {
            List<String> taken = new ArrayList<>();
            Deque<String> queue = waiting.get(partition);
            for (int i = 0; i < records; i++) {
                taken.add(queue.removeFirst());
            }
            return new Taken() {
                @Override
                public void committed() {
                    taken.forEach(record -> report(record, Outcome.COMMITTED));
                }

                @Override
                public void failed(RuntimeException cause) {
                    Outcome outcome = cause instanceof OutcomeUnknownException ? Outcome.UNKNOWN : Outcome.REFUSED;
                    taken.forEach(record -> report(record, outcome));
                }
            };
        }

        private void report(String record, Outcome outcome) {
            Outcome before = world.outcomes.put(record, outcome);
            assertThat(before).as("first outcome of %s", record).isNull();
        }

        @Override
        public synchronized void failed(RuntimeException cause) {
            for (Deque<String> queue : waiting.values()) {
                queue.forEach(record -> report(record, Outcome.REFUSED));
                queue.clear();
            }
        }
    }

    /** Requests and answers are lost, and calls take time. */
    private record Faults(World world) implements LogFaults {
        @Override
        public Fate next(LogCall call) {
            Loss loss = world.fails(8) ? Loss.values()[1 + world.time.random(3)] : Loss.NOTHING;
            return new Fate(loss, delay(), delay());
        }

        private Duration delay() {
            if (world.isCalm) {
                return Duration.ZERO;
            }
            return world.fails(2)
                    ? Duration.ofMillis(world.time.random(12_000))
                    : Duration.ofNanos(world.time.random(3_000_000));
        }

        @Override
        public Duration stall(LogCall call) {
            return world.fails(2) ? Duration.ofMillis(world.time.random(3000)) : Duration.ZERO;
        }
    }

    private static final class FailingStore extends ForwardingBlobStore {
        private final World world;

        FailingStore(BlobStore delegate, World world) {
            super(delegate);
            this.world = world;
        }

        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            CompletableFuture<Void> answer = new CompletableFuture<>();
            boolean fails = world.fails(3);
            CompletionStage<Void> put = super.put(id, content);
            world.time.schedule(Duration.ofMillis(1 + world.time.random(300)), () -> {
                if (fails) {
                    answer.completeExceptionally(new StoreUnavailableException("down"));
                } else {
                    put.whenComplete((stored, failure) -> {
                        if (failure == null) {
                            answer.complete(null);
                        } else {
                            answer.completeExceptionally(failure);
                        }
                    });
                }
            });
            return answer;
        }
    }

    /** Stores late, or not at all, and is down for longer than a delivery may take. */
    private static final class DurableStore extends ForwardingBlobStore {
        private final World world;
        private Duration downUntil = Duration.ZERO;

        DurableStore(BlobStore memory, World world) {
            super(memory);
            this.world = world;
        }

        void fail() {
            downUntil = world.time.elapsed().plusSeconds(25);
        }

        boolean has(BlobId id) {
            return !store().length(id).toCompletableFuture().isCompletedExceptionally();
        }

        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            CompletableFuture<Void> answer = new CompletableFuture<>();
            content.retain();
            world.time.schedule(Duration.ofMillis(50 + world.time.random(600)), () -> {
                if (world.time.elapsed().compareTo(downUntil) < 0) {
                    answer.completeExceptionally(new StoreUnavailableException("down"));
                } else {
                    super.put(id, content).whenComplete((stored, failure) -> answer.complete(null));
                }
                content.release();
            });
            return answer;
        }
    }
}
