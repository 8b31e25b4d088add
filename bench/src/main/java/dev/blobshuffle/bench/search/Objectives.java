package dev.blobshuffle.bench.search;

import dev.blobshuffle.bench.run.RunResult;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * The service level objectives of a search. Lag alone would reward a system that drops records, so
 * completeness is one of them. Each must hold in every repetition: a median would hide one that
 * fell behind.
 *
 * @param lagShare the backlog's trend (records per second, by least squares) must be below this
 *     share of the load
 * @param lagRecords if present, it must be below this many records per second instead
 * @param droppedShare updates dropped must be at most this share of the records
 * @param p95Millis the p95 must be at most this, if there is a bound
 */
public record Objectives(double lagShare, OptionalDouble lagRecords, double droppedShare, OptionalDouble p95Millis) {
    private static final String OVERLAPPING_WINDOWS = "uc3";
    private static final double PUBLISHED = 2000;
    private static final double PUBLISHED_OF_OVERLAPPING = 100;

    /** The default objectives: a trend below 1 % of the load, at most 0.1 % dropped. */
    public static Objectives defaults() {
        return new Objectives(0.01, OptionalDouble.empty(), 0.001, OptionalDouble.empty());
    }

    /** The bound on the trend that Theodolite published for a use case, in records per second. */
    public static double publishedLag(String workload) {
        return workload.equals(OVERLAPPING_WINDOWS) ? PUBLISHED_OF_OVERLAPPING : PUBLISHED;
    }

    /**
     * Why the runs at a load do not meet the objectives; empty if they do.
     *
     * @param load records per second
     */
    public Optional<String> violation(List<RunResult> runs, long load) {
        Optional<String> problem =
                runs.stream().flatMap(run -> run.problem().stream()).findFirst();
        if (problem.isPresent()) {
            return problem; // the numbers of such a run may mean nothing
        }
        double trend = most(runs, RunResult::lagTrend);
        double allowed = lagRecords.orElse(lagShare * load);
        if (!(trend < allowed)) {
            return Optional.of(text("the backlog grows by %.1f records/s, allowed is less than %.1f", trend, allowed));
        }
        double dropped = most(
                runs,
                run -> run.counter("dropped-records") / Math.max(1, run.window().records()));
        if (dropped > droppedShare) {
            return Optional.of(
                    text("%.3f %% of updates were dropped, allowed are %.3f", 100 * dropped, 100 * droppedShare));
        }
        double p95 = most(runs, run -> run.latencyMillis(95).orElse(Double.POSITIVE_INFINITY));
        if (p95Millis.isPresent() && p95 > p95Millis.getAsDouble()) {
            return Optional.of(text("p95 is %.0f ms, allowed are %.0f", p95, p95Millis.getAsDouble()));
        }
        return Optional.empty();
    }

    private static double most(List<RunResult> runs, ToDoubleFunction<RunResult> number) {
        return runs.stream().mapToDouble(number).max().orElse(Double.NaN);
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
