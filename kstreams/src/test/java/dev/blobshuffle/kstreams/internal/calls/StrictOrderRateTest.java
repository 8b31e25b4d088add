package dev.blobshuffle.kstreams.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kstreams.keyparallel.calls.Concurrency;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import dev.blobshuffle.kstreams.keyparallel.calls.RetryPolicy;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How close the rate comes to the bound of strict order, with a load that reaches it: 36 keys and
 * calls of 250 ms make 144 per second. A commit that waits for its calls covers a prefix of the
 * input, so it takes as long as the key with the most records in this prefix.
 */
class StrictOrderRateTest {
    private static final int KEYS = 36;
    private static final Duration LATENCY = Duration.ofMillis(250);
    private static final double BOUND = KEYS * 1000.0 / LATENCY.toMillis();
    private static final Duration LENGTH = Duration.ofMinutes(10);

    @ParameterizedTest
    @CsvSource({"5, 0.66, 0.76", "30, 0.78, 0.88"})
    void commitsThatWaitLoseWhatTheHottestKeyLeavesIdle(int commitSeconds, double least, double most) {
        double share = rate(Optional.of(Duration.ofSeconds(8)), Duration.ofSeconds(commitSeconds)) / BOUND;

        assertThat(share).isBetween(least, most);
    }

    @ParameterizedTest
    @CsvSource({"5", "30"})
    void commitsThatDoNotWaitReachTheBound(int commitSeconds) {
        assertThat(rate(Optional.empty(), Duration.ofSeconds(commitSeconds)) / BOUND)
                .isGreaterThan(0.97);
    }

    /** Records per second. */
    private static double rate(Optional<Duration> drain, Duration commitInterval) {
        try (SimulatedTime time = new SimulatedTime(1)) {
            int[] finished = new int[1];
            time.actor("owner", () -> finished[0] = own(time, drain, commitInterval));
            time.run();
            return finished[0] / (time.elapsed().toNanos() / 1e9);
        }
    }

    private static int own(SimulatedTime time, Optional<Duration> drain, Duration commitInterval)
            throws InterruptedException {
        CallPlan plan = new CallPlan(
                Ordering.KEY,
                CallPlan.Batching.NONE,
                1,
                Concurrency.fixed(KEYS),
                5_000,
                1L << 20,
                Duration.ofSeconds(30),
                RetryPolicy.none(),
                drain);
        Call<Integer, Integer> call = (numbers, completion) ->
                time.schedule(LATENCY, () -> completion.complete(List.of(Outcome.of(numbers.get(0)))));
        try (ParallelCalls<Integer, Integer> calls =
                new ParallelCalls<>(plan, false, call, time, time.workers("calls", KEYS), new AtomicInteger())) {
            CallsOwner owner = new CallsOwner(calls, time);
            long committed = time.nanos();
            for (int number = 0; time.elapsed().compareTo(LENGTH) < 0; number++) {
                calls.offer(KeyHandle.of(time.random(KEYS)), number, 1);
                owner.awaitRoom();
                if (drain.isPresent() && time.nanos() - committed >= commitInterval.toNanos()) {
                    owner.drain();
                    committed = time.nanos();
                }
            }
            return owner.finished();
        }
    }
}
