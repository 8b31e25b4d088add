package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kstreams.internal.calls.Call;
import dev.blobshuffle.kstreams.internal.calls.CallPlan;
import dev.blobshuffle.kstreams.internal.calls.KeyHandle;
import dev.blobshuffle.kstreams.internal.calls.ParallelCalls;
import dev.blobshuffle.kstreams.internal.commit.RecordOrigin;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import dev.blobshuffle.kstreams.keyparallel.calls.RetryPolicy;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * One random run, under virtual time, of a task whose commits do not wait for calls, and which
 * sometimes crashes, even in the middle of a commit. Durable state is kept separately: committed
 * position, output, changelog. In a transaction they change together; without one they change one
 * after another, as {@link Checkpoint} describes. The seed determines everything. Owned by the
 * test's thread.
 */
final class CheckpointSchedule {
    private static final int RECORDS = 100;
    private static final int KEYS = 5;
    private static final int MOST_CRASHES = 6;
    private static final Duration PATIENCE = Duration.ofMinutes(20);

    /** The process has ended. */
    private static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private final SimulatedTime time;
    private final boolean isExactlyOnce;
    private final CallPlan plan;
    private final ArrivalCodec<String, Integer> codec =
            new ArrivalCodec<>("changelog", Serdes.String(), Serdes.Integer());

    private final List<Integer> output = new ArrayList<>();
    private final TreeMap<Long, byte[]> changelog = new TreeMap<>();
    private int committed;
    private int crashes;
    private int stored;
    private int recovered;

    /** Unconfirmed sends of the live task. */
    private final List<Integer> sent = new ArrayList<>();

    CheckpointSchedule(SimulatedTime time) {
        this.time = time;
        isExactlyOnce = time.random(2) == 0;
        plan = new CallPlan(
                time.random(2) == 0 ? Ordering.KEY : Ordering.PARTITION,
                CallPlan.Batching.NONE,
                1,
                1 + time.random(8),
                1 + time.random(40),
                10_000,
                Duration.ofMillis(500),
                new RetryPolicy(2, Duration.ofMillis(10), Duration.ofMillis(50)),
                Duration.ofSeconds(2));
    }

    /** Runs to the end and checks the output. */
    void run() {
        time.actor("task", this::live);
        time.run();
        for (int key = 0; key < KEYS; key++) {
            int remainder = key;
            List<Integer> results =
                    output.stream().filter(number -> number % KEYS == remainder).toList();
            assertThat(isExactlyOnce ? results : results.stream().distinct().toList())
                    .as("results of key %s, exactly once: %s, %s crashes", key, isExactlyOnce, crashes)
                    .isEqualTo(IntStream.range(0, RECORDS)
                            .filter(number -> number % KEYS == remainder)
                            .boxed()
                            .toList());
        }
        assertThat(changelog).as("what is left in the changelog").isEmpty();
    }

    int stored() {
        return stored;
    }

    int recovered() {
        return recovered;
    }

    private void live() throws InterruptedException {
        boolean isDone = false;
        while (!isDone) {
            KeyValueStore<Long, byte[]> store = restored();
            Checkpoint<String, Integer> checkpoint = new Checkpoint<>(store, codec);
            ParallelCalls<Arrival<String, Integer>, Integer> calls =
                    new ParallelCalls<>(plan, false, this::call, time, time.workers("calls", 8), new AtomicInteger());
            try (calls) {
                isDone = run(store, checkpoint, calls);
            } catch (Crash e) {
                crashes++;
                crash();
            }
            store.close();
        }
    }

    private KeyValueStore<Long, byte[]> restored() {
        KeyValueStore<Long, byte[]> store = Stores.keyValueStoreBuilder(
                        Stores.inMemoryKeyValueStore("pending"), Serdes.Long(), Serdes.ByteArray())
                .withLoggingDisabled()
                .build();
        store.init(new MockProcessorContext<>().getStateStoreContext(), store);
        changelog.forEach(store::put);
        return store;
    }

    private boolean run(
            KeyValueStore<Long, byte[]> store,
            Checkpoint<String, Integer> checkpoint,
            ParallelCalls<Arrival<String, Integer>, Integer> calls)
            throws InterruptedException {
        checkpoint.recover(arrival -> {
            recovered++;
            calls.offer(KeyHandle.of(arrival.record().key()), arrival, 1);
        });
        int position = committed;
        while (position < RECORDS || calls.pending() > 0) {
            if (position < RECORDS && (!calls.isFull() || time.random(10) == 0)) {
                take(position++, checkpoint, calls);
            } else if (calls.pending() > 0) {
                awaitProgress(calls);
            }
            if (time.random(3) == 0) {
                handOn(checkpoint, calls);
                time.pause();
            }
            crashPerhaps(60);
            if (time.random(8) == 0) {
                commit(position, store, checkpoint, calls);
            }
        }
        commit(position, store, checkpoint, calls);
        return true;
    }

    private void take(
            int number,
            Checkpoint<String, Integer> checkpoint,
            ParallelCalls<Arrival<String, Integer>, Integer> calls) {
        String key = "k" + number % KEYS;
        Arrival<String, Integer> arrival = Arrival.of(
                new Record<>(key, number, number), new RecordOrigin("input", 0, number, null, null), checkpoint.next());
        checkpoint.taken(arrival);
        calls.offer(KeyHandle.of(key), arrival, 1);
    }

    private void awaitProgress(ParallelCalls<Arrival<String, Integer>, Integer> calls) throws InterruptedException {
        long seen = calls.progress();
        if (!calls.hasReleased()) {
            calls.awaitProgress(seen, time.nanos() + PATIENCE.toNanos());
        }
    }

    private void handOn(
            Checkpoint<String, Integer> checkpoint, ParallelCalls<Arrival<String, Integer>, Integer> calls) {
        for (var record = calls.poll(); record != null; record = calls.poll()) {
            assertThat(record.outcome().value())
                    .isEqualTo(record.input().record().value());
            sent.add(record.input().record().value());
            calls.finish(record);
            checkpoint.finished(record.input());
        }
    }

    private void commit(
            int position,
            KeyValueStore<Long, byte[]> store,
            Checkpoint<String, Integer> checkpoint,
            ParallelCalls<Arrival<String, Integer>, Integer> calls) {
        handOn(checkpoint, calls);
        flush(store);
        crashPerhaps(30);
        stored += checkpoint.store();
        flush(store);
        crashPerhaps(30);
        checkpoint.forget();
        crashPerhaps(30);
        output.addAll(sent);
        sent.clear();
        arrive(store);
        if (!isExactlyOnce) {
            crashPerhaps(30);
        }
        committed = position;
    }

    /** Without a transaction, everything sent has then arrived. */
    private void flush(KeyValueStore<Long, byte[]> store) {
        if (!isExactlyOnce) {
            output.addAll(sent);
            sent.clear();
            arrive(store);
        }
    }

    private void arrive(KeyValueStore<Long, byte[]> store) {
        changelog.clear();
        try (var all = store.all()) {
            while (all.hasNext()) {
                KeyValue<Long, byte[]> entry = all.next();
                changelog.put(entry.key, entry.value);
            }
        }
    }

    private void crashPerhaps(int rarity) {
        if (crashes < MOST_CRASHES && time.random(rarity) == 0) {
            throw new Crash();
        }
    }

    /**
     * Crashes. A transaction is aborted. Without one, any part of the sent records has arrived: of
     * each key, the first ones.
     */
    private void crash() {
        if (!isExactlyOnce) {
            for (int key = 0; key < KEYS; key++) {
                int remainder = key;
                List<Integer> ofKey = sent.stream()
                        .filter(number -> number % KEYS == remainder)
                        .toList();
                output.addAll(ofKey.subList(0, time.random(ofKey.size() + 1)));
            }
        }
        sent.clear();
    }

    private void call(List<Arrival<String, Integer>> arrivals, Call.Completion<Integer> completion) {
        Arrival<String, Integer> arrival = arrivals.get(0);
        // Some calls end between two commits, others outlive several.
        Duration latency = Duration.ofMillis(time.random(4) == 0 ? time.random(300) : time.random(10));
        time.schedule(
                latency,
                () -> completion.complete(List.of(Outcome.of(arrival.record().value()))));
    }
}
