package dev.blobshuffle.testkit.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The p95 of the latency of each interval of 10 s, by the time at which records were appended. Guarded by the simulation's baton. */
final class Intervals {
    static final double SECONDS = 10;

    /** Records of an interval that are not read after that time do not change its p95. */
    private static final double SETTLED = 20;

    private final double target;
    private final List<Interval> all = new ArrayList<>();

    /** @param target seconds; beyond it an interval has failed */
    Intervals(double target) {
        this.target = target;
    }

    private static final class Interval {
        private double[] latencies = new double[1 << 10];
        private int count;

        void add(double seconds) {
            if (count == latencies.length) {
                latencies = Arrays.copyOf(latencies, 2 * count);
            }
            latencies[count++] = seconds;
        }

        double p95() {
            double[] sorted = Arrays.copyOf(latencies, count);
            Arrays.sort(sorted);
            return count == 0 ? 0 : sorted[(int) (count * 0.95)];
        }
    }

    /** @param appended seconds since the first interval's begin */
    void add(double appended, double latency) {
        int number = (int) (appended / SECONDS);
        while (all.size() <= number) {
            all.add(new Interval());
        }
        all.get(number).add(latency);
    }

    /** Whether an interval that is over was too slow. */
    boolean hasFailed(double now) {
        int over = (int) Math.max(0, (now - SETTLED) / SECONDS - 1);
        return all.stream().limit(over).anyMatch(interval -> interval.p95() > target);
    }

    /** The p95 of each interval in seconds. */
    double[] p95() {
        return all.stream().mapToDouble(Interval::p95).toArray();
    }
}
