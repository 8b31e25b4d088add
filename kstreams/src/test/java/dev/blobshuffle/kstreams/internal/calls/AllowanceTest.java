package dev.blobshuffle.kstreams.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import dev.blobshuffle.kstreams.keyparallel.calls.RetryPolicy;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Whatever the distribution of keys and the duration of calls, up to their timeout, a commit at any
 * time finishes within its limit.
 */
class AllowanceTest {
    private static final Duration DRAIN = Duration.ofSeconds(6);
    private static final int RECORDS = 400;

    @ParameterizedTest
    @CsvSource({
        "1, 250, 4",
        "1, 250, 64",
        "1, 1900, 4",
        "1, 2100, 4",
        "1, 4700, 1",
        "3, 250, 64",
        "3, 1900, 2",
        "3, 4700, 4",
        "40, 250, 4",
        "40, 1900, 4",
        "40, 2100, 4",
        "40, 4700, 64",
    })
    void everyCommitGetsThrough(int keys, int latencyMillis, int concurrency) {
        for (int seed = 1; seed <= 5; seed++) {
            try (SimulatedTime time = new SimulatedTime(seed)) {
                time.actor("owner", () -> own(time, keys, latencyMillis, concurrency));
                time.run();
            }
        }
    }

    private static void own(SimulatedTime time, int keys, int latencyMillis, int concurrency)
            throws InterruptedException {
        CallPlan plan = new CallPlan(
                Ordering.KEY,
                CallPlan.Batching.NONE,
                1,
                concurrency,
                5_000,
                1L << 20,
                DRAIN.multipliedBy(4).dividedBy(5),
                RetryPolicy.none(),
                DRAIN);
        Call<Integer, Integer> call = (numbers, completion) -> time.schedule(
                Duration.ofMillis(latencyMillis), () -> completion.complete(List.of(Outcome.of(numbers.get(0)))));
        try (ParallelCalls<Integer, Integer> calls =
                new ParallelCalls<>(plan, false, call, time, time.workers("calls", concurrency), new AtomicInteger())) {
            CallsOwner owner = new CallsOwner(calls, time);
            for (int number = 0; number < RECORDS; number++) {
                // Half of all records have the same key.
                int key = time.random(2) == 0 ? 0 : time.random(keys);
                calls.offer(KeyHandle.of(key), number, 1);
                owner.awaitRoom();
                if (time.random(50) == 0) {
                    assertThat(owner.drain()).isLessThanOrEqualTo(DRAIN);
                }
            }
            assertThat(owner.drain()).isLessThanOrEqualTo(DRAIN);
        }
    }
}
