package dev.blobshuffle.simulator.trial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The latency of each interval of 10 s, by the time at which records were appended. Thread-safe:
 * guarded by its monitor.
 */
public final class Intervals {
    /** Length of an interval. */
    public static final int SECONDS = 10;

    /** Records of an interval that are not read after that time do not change its p95. */
    private static final double SETTLED = 20;

    private static final double P95 = 0.95;

    private final double target;
    private final List<Latencies> all = new ArrayList<>();

    /** @param target seconds; beyond it an interval has failed */
    public Intervals(double target) {
        this.target = target;
    }

    private static final class Latencies {
        private double[] seconds = new double[1 << 10];
        private int count;

        void add(double latency) {
            if (count == seconds.length) {
                seconds = Arrays.copyOf(seconds, 2 * count);
            }
            seconds[count++] = latency;
        }

        void addAll(Latencies other) {
            for (int i = 0; i < other.count; i++) {
                add(other.seconds[i]);
            }
        }

        double p95() {
            double[] sorted = Arrays.copyOf(seconds, count);
            Arrays.sort(sorted);
            return count == 0 ? 0 : sorted[(int) (count * P95)];
        }
    }

    /**
     * Adds the latency of a record.
     *
     * @param appended seconds since the first interval's begin
     * @param latency seconds until it was read
     */
    public synchronized void add(double appended, double latency) {
        int number = (int) (appended / SECONDS);
        while (all.size() <= number) {
            all.add(new Latencies());
        }
        all.get(number).add(latency);
    }

    /** Whether an interval that is over was too slow. */
    synchronized boolean hasFailed(double now) {
        int over = (int) Math.max(0, (now - SETTLED) / SECONDS - 1);
        return all.stream().limit(over).anyMatch(interval -> interval.p95() > target);
    }

    /**
     * The result, if no more records follow.
     *
     * @param seconds length of the run; the rest of the last interval does not count
     * @param puts per second
     * @param gets per second
     */
    public synchronized BatchedResult result(Batched batched, long seconds, double puts, double gets) {
        int whole = (int) (seconds / SECONDS);
        List<Latencies> measured = all.subList(0, Math.min(whole, all.size()));
        List<Double> p95s = measured.stream().map(Latencies::p95).toList();
        boolean isGivenUp = measured.size() < whole || p95s.stream().anyMatch(p95 -> p95 > target);
        Latencies together = new Latencies();
        measured.forEach(together::addAll);
        BatchedResult.Requests requests =
                new BatchedResult.Requests(puts, gets, VirtualTrial.usdPerHour(puts, gets), together.p95());
        return new BatchedResult(batched, isGivenUp ? Optional.empty() : Optional.of(requests), p95s);
    }
}
