package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kstreams.internal.calls.Call;
import dev.blobshuffle.kstreams.internal.calls.CallPlan;
import dev.blobshuffle.kstreams.internal.calls.KeyHandle;
import dev.blobshuffle.kstreams.internal.calls.LimitReason;
import dev.blobshuffle.kstreams.internal.calls.ParallelCalls;
import dev.blobshuffle.kstreams.internal.calls.PendingRecord;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import dev.blobshuffle.kstreams.keyparallel.calls.RetryPolicy;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One random run under virtual time: records of a few keys; calls that are slow, fail, or never
 * answer; an owner that commits now and then. The seed determines everything. Owned by the test's
 * thread.
 */
final class CallSchedule {
    private static final int RECORDS = 120;
    private static final Duration PATIENCE = Duration.ofMinutes(20);

    private final SimulatedTime time;
    private final CallPlan plan;
    private final boolean isStaged;
    private final boolean rejectsNothing;
    private final List<Integer> finished = new ArrayList<>();
    private final Map<Integer, String> keys = new HashMap<>();
    private final Set<String> busy = new HashSet<>();
    private final ParallelCalls<Integer, Integer> calls;
    private int underWay;
    private int failures;
    private int most;
    private @Nullable AssertionError broken;

    CallSchedule(SimulatedTime time) {
        this.time = time;
        Ordering ordering = Ordering.values()[time.random(Ordering.values().length)];
        CallPlan.Batching batching = CallPlan.Batching.values()[time.random(CallPlan.Batching.values().length)];
        plan = new CallPlan(
                ordering,
                batching,
                batching == CallPlan.Batching.NONE ? 1 : 1 + time.random(5),
                1 + time.random(8),
                1 + time.random(40),
                1 + time.random(4_000),
                Duration.ofMillis(100),
                new RetryPolicy(1 + time.random(3), Duration.ofMillis(10), Duration.ofMillis(50)),
                Duration.ofSeconds(2));
        isStaged = batching == CallPlan.Batching.NONE && time.random(2) == 0;
        rejectsNothing = time.random(2) == 0;
        calls = new ParallelCalls<>(plan, isStaged, this::call, time, time.workers("calls", 8), new AtomicInteger());
    }

    /** Runs to the end and checks every guarantee. */
    void run() {
        time.actor("owner", this::own);
        time.run();
        time.settle(Duration.ofMinutes(1));
        if (broken != null) {
            throw broken;
        }
        assertThat(finished).as("each record ends once").hasSize(RECORDS).doesNotHaveDuplicates();
        assertThat(calls.standing())
                .as("nothing is left")
                .isEqualTo(new ParallelCalls.Standing(0, 0, 0, 0, 0, LimitReason.INPUT));
        assertThat(most).as("concurrency").isLessThanOrEqualTo(plan.maxConcurrency());
        assertOrder();
    }

    /** Number of failed records. */
    int failures() {
        return failures;
    }

    Ordering ordering() {
        return plan.ordering();
    }

    private void own() throws InterruptedException {
        for (int number = 0; number < RECORDS; number++) {
            String key = "k" + (time.random(2) == 0 ? 0 : time.random(9));
            keys.put(number, key);
            calls.offer(key.equals("k8") ? null : KeyHandle.of(key), number, 1 + time.random(100));
            awaitRoom();
            if (time.random(20) == 0) {
                drain();
            }
            if (time.random(4) == 0) {
                time.pause();
            }
        }
        drain();
    }

    private void awaitRoom() throws InterruptedException {
        long deadline = time.nanos() + PATIENCE.toNanos();
        while (true) {
            long seen = calls.progress();
            finishReleased();
            if (!calls.isFull()) {
                return;
            }
            assertThat(time.nanos() - deadline).as("time until there is room").isNegative();
            calls.awaitProgress(seen, deadline);
        }
    }

    private void drain() throws InterruptedException {
        long deadline = time.nanos() + PATIENCE.toNanos();
        while (true) {
            long seen = calls.progress();
            finishReleased();
            if (calls.pending() == 0) {
                return;
            }
            assertThat(time.nanos() - deadline).as("time of a drain").isNegative();
            calls.awaitProgress(seen, deadline);
        }
    }

    private void finishReleased() {
        do {
            finishAll();
        } while (prepareAll());
    }

    /** As in a staged function with keys in order: when the key has no other record left. */
    private boolean prepareAll() {
        boolean isMoving = false;
        for (PendingRecord<Integer, Integer> record = calls.pollUnprepared();
                record != null;
                record = calls.pollUnprepared()) {
            int number = record.input();
            isMoving = true;
            String key = keys.get(number);
            if (plan.ordering() == Ordering.KEY && !key.equals("k8")) {
                assertThat(keys.entrySet().stream()
                                .filter(earlier -> earlier.getKey() < number
                                        && earlier.getValue().equals(key))
                                .allMatch(earlier -> finished.contains(earlier.getKey())))
                        .as("earlier records of a key are finished when the next one is prepared")
                        .isTrue();
            }
            if (time.random(4) == 0) {
                calls.skip(record, Outcome.of(number * 2));
            } else {
                calls.prepared(record);
            }
        }
        return isMoving;
    }

    private void finishAll() {
        for (PendingRecord<Integer, Integer> record = calls.poll(); record != null; record = calls.poll()) {
            Outcome<Integer> outcome = record.outcome();
            if (outcome.failure() == null) {
                assertThat(outcome.value()).as("its own result").isEqualTo(record.input() * 2);
            } else {
                failures++;
            }
            finished.add(record.input());
            calls.finish(record);
            calls.dispatch();
        }
    }

    /** An exception here counts as an outcome, so a broken promise must be recorded. */
    private void call(List<Integer> numbers, Call.Completion<Integer> completion) {
        try {
            begin(numbers, completion);
        } catch (RuntimeException | AssertionError e) {
            broken = broken == null ? new AssertionError(e) : broken;
            throw e;
        }
    }

    private void begin(List<Integer> numbers, Call.Completion<Integer> completion) {
        underWay++;
        most = Math.max(most, underWay);
        assertThat(numbers).as("records of a call").hasSizeLessThanOrEqualTo(plan.maxBatch());
        Set<String> of = new HashSet<>();
        numbers.forEach(number -> of.add(keys.get(number)));
        if (plan.ordering() == Ordering.KEY && plan.batching() != CallPlan.Batching.ANY_KEY) {
            assertThat(of).as("keys of a call").hasSize(1);
        }
        of.remove("k8");
        if (plan.ordering() == Ordering.KEY) {
            assertThat(Collections.disjoint(busy, of))
                    .as("no key has two calls at a time")
                    .isTrue();
            busy.addAll(of);
        }
        int fate = rejectsNothing ? 9 : time.random(10);
        long millis =
                // The slowest calls never answer, and time out just after.
                fate == 0 ? 99 : time.random(60);
        time.schedule(Duration.ofMillis(millis), () -> {
            busy.removeAll(of);
            underWay--;
            if (fate > 0) {
                completion.complete(numbers.stream().map(this::outcome).toList());
            }
        });
    }

    private Outcome<Integer> outcome(int number) {
        return !rejectsNothing && time.random(8) == 0
                ? Outcome.failed(new IllegalStateException("refused"))
                : Outcome.of(number * 2);
    }

    private void assertOrder() {
        switch (plan.ordering()) {
            case UNORDERED -> {}
            case PARTITION -> assertThat(finished).isSorted();
            case KEY, KEY_OUTPUT ->
                keys.values().stream()
                        .distinct()
                        .filter(key -> !key.equals("k8"))
                        .forEach(key -> assertThat(finished.stream()
                                        .filter(number -> keys.get(number).equals(key)))
                                .as("order of " + key)
                                .isSorted());
        }
    }
}
