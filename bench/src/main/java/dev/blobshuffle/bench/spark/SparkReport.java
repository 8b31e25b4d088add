package dev.blobshuffle.bench.spark;

import dev.blobshuffle.bench.report.Goal;
import dev.blobshuffle.bench.report.Spread;
import dev.blobshuffle.cli.chart.Axis;
import dev.blobshuffle.cli.chart.Chart;
import dev.blobshuffle.cli.chart.Series;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.ToDoubleFunction;

/**
 * The jobs of all applications. A ratio is the median over the rounds of ratios within one round,
 * whose applications ran one after the other. Immutable.
 */
public final class SparkReport {
    private static final double GOAL_WALL = 1.1;
    private static final double BYTES_PER_MB = 1e6;

    private final SparkPlan plan;
    private final List<SparkResult> runs;
    private final List<SparkRequests> requests;

    SparkReport(SparkPlan plan, List<SparkResult> runs, List<SparkRequests> requests) {
        this.plan = plan;
        this.runs = List.copyOf(runs);
        this.requests = List.copyOf(requests);
    }

    /** Whether each job of a workload had the same rows. */
    public boolean isVerified() {
        return plan.workloads().stream()
                .allMatch(workload -> runs.stream()
                                .filter(run -> run.workload().equals(workload))
                                .map(SparkResult::outcome)
                                .distinct()
                                .count()
                        == 1);
    }

    private List<SparkResult> of(String workload, SparkSystem system) {
        return runs.stream()
                .filter(run -> run.workload().equals(workload) && run.system() == system)
                .toList();
    }

    private Spread spread(String workload, SparkSystem system, ToDoubleFunction<SparkResult> number) {
        return Spread.of(
                of(workload, system).stream().map(number::applyAsDouble).toList());
    }

    /** A number of a system as a multiple of native Spark's in the same round. */
    Spread ratio(String workload, SparkSystem system, ToDoubleFunction<SparkResult> number) {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < plan.rounds(); round++) {
            ratios.add(mean(workload, system, round, number) / mean(workload, SparkSystem.NATIVE, round, number));
        }
        return Spread.of(ratios);
    }

    private double mean(String workload, SparkSystem system, int round, ToDoubleFunction<SparkResult> number) {
        return of(workload, system).stream()
                .filter(run -> run.round() == round)
                .mapToDouble(number)
                .average()
                .orElse(Double.NaN);
    }

    /** The goals that the runs can judge. */
    List<Goal> goals() {
        List<Goal> goals = new ArrayList<>();
        for (String workload : plan.workloads()) {
            for (SparkSystem system : plan.systems()) {
                if (system.isOurs()) {
                    goals.addAll(goals(workload, system));
                }
            }
        }
        return goals.stream().filter(goal -> Double.isFinite(goal.number())).toList();
    }

    private List<Goal> goals(String workload, SparkSystem system) {
        String where = workload + ", " + system.title() + ": ";
        List<Goal> goals = new ArrayList<>();
        double cpu = ratio(workload, system, SparkResult::cpuSeconds).median();
        goals.add(new Goal(where + "CPU as a multiple of Spark's", cpu, false, system.goal()));
        if (system != SparkSystem.SYNC) {
            double wall = ratio(workload, system, SparkResult::wallSeconds).median();
            goals.add(new Goal(where + "time as a multiple of Spark's", wall, false, GOAL_WALL));
        }
        return goals;
    }

    /** The report as text. */
    public String text() {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%-12s %-20s %5s %20s %18s %8s %7s %9s%n",
                "workload",
                "shuffle",
                "jobs",
                "CPU-s (min-max)",
                "x Spark's",
                "wall s",
                "x",
                "memory MB"));
        for (String workload : plan.workloads()) {
            plan.systems().forEach(system -> text.append(row(workload, system)));
        }
        requests.forEach(asked -> text.append(asked.line()).append(System.lineSeparator()));
        goals().forEach(goal -> text.append(goal.line()).append(System.lineSeparator()));
        return text.toString();
    }

    private String row(String workload, SparkSystem system) {
        Spread cpu = spread(workload, system, SparkResult::cpuSeconds);
        Spread times = ratio(workload, system, SparkResult::cpuSeconds);
        return String.format(
                Locale.ROOT,
                "%-12s %-20s %5d %20s %18s %8.1f %7.2f %9.0f%n",
                workload,
                system.title(),
                of(workload, system).size(),
                String.format(Locale.ROOT, "%.1f (%.1f-%.1f)", cpu.median(), cpu.min(), cpu.max()),
                String.format(Locale.ROOT, "%.2f (%.2f-%.2f)", times.median(), times.min(), times.max()),
                spread(workload, system, SparkResult::wallSeconds).median(),
                ratio(workload, system, SparkResult::wallSeconds).median(),
                spread(workload, system, SparkResult::memoryBytes).max() / BYTES_PER_MB);
    }

    /** The report as JSON: {@code goals}, {@code ratios}, the requests, and the single jobs. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("spark", plan.version());
        json.put("store", plan.latency().map(latency -> "s3 " + latency.name()).orElse("directory"));
        json.put("rows", plan.rows());
        json.put("maps", plan.maps());
        json.put("partitions", plan.partitions());
        json.put("goals", goals().stream().map(Goal::asJson).toList());
        json.put("requests", requests.stream().map(SparkRequests::asJson).toList());
        json.put("runs", runs.stream().map(SparkResult::asJson).toList());
        return json;
    }

    /** The plots by their names. */
    public Map<String, Chart> charts() {
        Map<String, Chart> charts = new LinkedHashMap<>();
        charts.put("spark-cpu", chart("CPU time of driver and executors", SparkResult::cpuSeconds));
        charts.put("spark-wall", chart("Time of a job", SparkResult::wallSeconds));
        return charts;
    }

    private Chart chart(String title, ToDoubleFunction<SparkResult> number) {
        List<Series> all = new ArrayList<>();
        for (SparkSystem system : plan.systems()) {
            List<Series.Point> points = new ArrayList<>();
            for (String workload : plan.workloads()) {
                Spread spread = spread(workload, system, number);
                String text = String.format(Locale.ROOT, "%.1f", spread.median());
                points.add(new Series.Point(
                        points.size(),
                        spread.median(),
                        spread.min(),
                        spread.max(),
                        system.title() + " " + workload + ": " + text,
                        text));
            }
            all.add(new Series(system.title(), Series.Form.BARS, points, OptionalInt.of(system.ordinal())));
        }
        return new Chart(title, Axis.of("workload", plan.workloads()), Axis.linear("seconds"), all);
    }
}
