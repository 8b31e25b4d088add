package dev.blobshuffle.kstreams.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kstreams.keyparallel.calls.CallTimedOutException;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import dev.blobshuffle.kstreams.keyparallel.calls.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls on real threads: interruption, errors, functions that do not return. */
class ParallelCallsTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final SystemTime time = new SystemTime();
    private final Time.Workers workers = time.blockingWorkers("test-calls", 16);
    private final AtomicInteger strays = new AtomicInteger();
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void close() {
        end.countDown();
        workers.close();
        time.close();
    }

    @Test
    void oldestOfAllThatMayStartGoesFirst() throws Exception {
        List<Integer> started = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch go = new CountDownLatch(1);
        try (ParallelCalls<Integer, Integer> calls = calls(plan(Ordering.KEY, 1, LONG), number -> {
            started.add(number);
            assertThat(go.await(1, TimeUnit.MINUTES)).isTrue();
            return number;
        })) {
            for (int number = 0; number < 12; number++) {
                calls.offer(KeyHandle.of(number % 3), number, 1);
            }
            go.countDown();
            drain(calls);
        }
        assertThat(started).isSorted().hasSize(12);
    }

    /**
     * A function that ignores its interruption keeps its place, so the number of threads stays
     * bounded, even across a restart of the task.
     */
    @Test
    @Timeout(60)
    void functionThatIgnoresItsInterruptionKeepsItsPlace() throws Exception {
        ParallelCalls<Integer, Integer> first = calls(plan(Ordering.KEY, 1, Duration.ofMillis(20)), number -> {
            awaitUninterruptibly(end);
            return number;
        });
        first.offer(KeyHandle.of("a"), 1, 1);
        first.offer(KeyHandle.of("b"), 2, 1);
        PendingRecord<Integer, Integer> timedOut = awaitReleased(first);
        assertThat(timedOut.outcome().failure()).isInstanceOf(CallTimedOutException.class);
        assertThat(first.standing().running()).isEqualTo(1);
        assertThat(first.standing().waiting())
                .as("no call starts in place of one that is still there")
                .isEqualTo(1);
        first.close();
        assertThat(strays.get()).isEqualTo(1);

        try (ParallelCalls<Integer, Integer> second = calls(plan(Ordering.KEY, 1, LONG), number -> number)) {
            second.offer(KeyHandle.of("a"), 3, 1);
            assertThat(second.standing().waiting()).isEqualTo(1);
            end.countDown();
            while (second.pending() > 0) {
                second.dispatch(); // As the owner's timer does.
                finishReleased(second);
                Thread.onSpinWait();
            }
        }
        while (strays.get() > 0) {
            Thread.onSpinWait(); // The worker of the last call may still be running.
        }
    }

    @Test
    void closeInterruptsAndDropsWhatComesLater() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        ParallelCalls<Integer, Integer> calls = calls(plan(Ordering.KEY, 4, LONG), number -> {
            started.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
            return number;
        });
        calls.offer(null, 1, 1);
        assertThat(started.await(1, TimeUnit.MINUTES)).isTrue();
        calls.close();
        assertThat(interrupted.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(calls.hasReleased()).isFalse();
        while (strays.get() > 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void errorIsAnOutcomeAndIsNotRepeated() throws Exception {
        AtomicInteger made = new AtomicInteger();
        try (ParallelCalls<Integer, Integer> calls = calls(plan(Ordering.KEY, 4, LONG), number -> {
            made.incrementAndGet();
            throw new OutOfMemoryError("not really");
        })) {
            calls.offer(KeyHandle.of("a"), 1, 1);
            assertThat(awaitReleased(calls).outcome().failure()).isInstanceOf(OutOfMemoryError.class);
        }
        assertThat(made.get()).isEqualTo(1);
    }

    @Test
    void failedCallIsRepeatedAndItsKeyWaits() throws Exception {
        List<Integer> made = Collections.synchronizedList(new ArrayList<>());
        try (ParallelCalls<Integer, Integer> calls = calls(plan(Ordering.KEY, 4, LONG), number -> {
            made.add(number);
            if (made.size() < 3) {
                throw new IllegalStateException("not yet");
            }
            return number;
        })) {
            calls.offer(KeyHandle.of("a"), 1, 1);
            calls.offer(KeyHandle.of("a"), 2, 1);
            drain(calls);
        }
        assertThat(made).containsExactly(1, 1, 1, 2);
    }

    @Test
    void keysAreEqualByTheirContent() {
        byte[] key = {1, 2};
        KeyHandle handle = KeyHandle.of(key);
        assertThat(KeyHandle.of(new byte[] {1, 2})).isEqualTo(handle).hasSameHashCodeAs(handle);
        key[0] = 7;
        assertThat(KeyHandle.of(new byte[] {1, 2}))
                .as("a function changed the array")
                .isEqualTo(handle);
        assertThat(KeyHandle.of(new long[] {1}))
                .isEqualTo(KeyHandle.of(new long[] {1}))
                .isNotEqualTo(handle);
        assertThat(KeyHandle.of("a")).isEqualTo(KeyHandle.of("a")).isNotEqualTo(KeyHandle.NULL);
    }

    private static CallPlan plan(Ordering ordering, int concurrency, Duration timeout) {
        return new CallPlan(
                ordering,
                CallPlan.Batching.NONE,
                1,
                concurrency,
                100,
                1_000,
                timeout,
                new RetryPolicy(timeout.equals(LONG) ? 3 : 1, Duration.ofMillis(1), Duration.ofMillis(1)),
                Duration.ofSeconds(2));
    }

    private ParallelCalls<Integer, Integer> calls(CallPlan plan, Function function) {
        return new ParallelCalls<>(
                plan,
                false,
                (numbers, completion) -> completion.complete(List.of(Outcome.of(function.apply(numbers.get(0))))),
                time,
                workers,
                strays);
    }

    private void drain(ParallelCalls<Integer, Integer> calls) throws InterruptedException {
        while (calls.pending() > 0) {
            PendingRecord<Integer, Integer> record = awaitReleased(calls);
            assertThat(record.outcome().failure()).isNull();
            calls.finish(record);
        }
    }

    private PendingRecord<Integer, Integer> awaitReleased(ParallelCalls<Integer, Integer> calls)
            throws InterruptedException {
        long deadline = time.nanos() + LONG.toNanos();
        while (true) {
            long seen = calls.progress();
            PendingRecord<Integer, Integer> record = calls.poll();
            if (record != null) {
                return record;
            }
            assertThat(time.nanos()).isLessThan(deadline);
            calls.awaitProgress(seen, deadline);
        }
    }

    private static void finishReleased(ParallelCalls<Integer, Integer> calls) {
        for (PendingRecord<Integer, Integer> record = calls.poll(); record != null; record = calls.poll()) {
            calls.finish(record);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // Swallows the interrupt, as some functions do.
            }
        }
    }

    /** A function that takes a while. */
    @FunctionalInterface
    private interface Function {
        int apply(int number) throws Exception;
    }
}
