package dev.blobshuffle.bench.messaging;

import dev.blobshuffle.bench.report.Goal;
import dev.blobshuffle.bench.report.Rounds;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The runs of all workloads. Goals are judged by steady runs alone.
 */
public final class MessagingReport {
    private static final double DEFAULT_CPU = 0.25;
    private static final double TUNED_CPU = 0.5;
    private static final double TRANSACTIONS = 0.8;
    private static final double BYTES_PER_MIB = 1 << 20;

    private final List<CellResult> runs;

    MessagingReport(List<CellResult> runs) {
        this.runs = List.copyOf(runs);
    }

    /** Whether each group received exactly the published records, in order per key. */
    public boolean isVerified() {
        return runs.stream().allMatch(run -> run.problem().isEmpty());
    }

    private List<Workload> workloads() {
        return runs.stream().map(CellResult::workload).distinct().toList();
    }

    private Rounds<CellResult> of(Workload workload, MessagingSystem system) {
        return new Rounds<>(runs, CellResult::round)
                .where(run -> run.workload().equals(workload) && run.system() == system);
    }

    private double ratio(
            Workload workload, MessagingSystem one, MessagingSystem other, ToDoubleFunction<CellResult> number) {
        Rounds<CellResult> steady = of(workload, other).where(CellResult::isSteady);
        return of(workload, one)
                .where(CellResult::isSteady)
                .ratio(steady, number)
                .median();
    }

    /** The goals that the runs can judge. */
    List<Goal> goals() {
        List<Goal> goals = new ArrayList<>();
        for (Workload workload : workloads()) {
            goals.add(cpu(workload, MessagingSystem.KAFKA, DEFAULT_CPU));
            goals.add(cpu(workload, MessagingSystem.KAFKA_TUNED, TUNED_CPU));
            goals.add(new Goal(
                    workload.name() + ": throughput with transactions, as a share of that without",
                    ratio(
                            workload,
                            MessagingSystem.BLOBSHUFFLE_TRANSACTIONS,
                            MessagingSystem.BLOBSHUFFLE,
                            CellResult::perSecond),
                    true,
                    TRANSACTIONS));
        }
        return goals.stream().filter(goal -> Double.isFinite(goal.number())).toList();
    }

    private Goal cpu(Workload workload, MessagingSystem other, double limit) {
        return new Goal(
                workload.name() + ": CPU per GiB, as a share of " + other.title(),
                ratio(workload, MessagingSystem.BLOBSHUFFLE, other, CellResult::cpuPerGibibyte),
                false,
                limit);
    }

    /** The report as text. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%-22s %-24s %9s %8s   %-20s %-20s%n",
                "workload",
                "system",
                "records/s",
                "CPU s/GiB",
                "end to end ms",
                "publish ms (p50/95/99)"));
        for (Workload workload : workloads()) {
            for (MessagingSystem system : MessagingSystem.values()) {
                Rounds<CellResult> cell = of(workload, system);
                if (!cell.runs().isEmpty()) {
                    text.append(row(workload, system, cell));
                }
            }
        }
        text.append(System.lineSeparator());
        workloads().forEach(workload -> text.append(requests(workload)));
        long unsteady = runs.stream().filter(run -> !run.isSteady()).count();
        if (unsteady > 0) {
            text.append(String.format(
                    Locale.ROOT,
                    "%nNOT STEADY: %d of %d runs; no goal is judged by them. Use a longer warm-up or a lower rate.%n",
                    unsteady,
                    runs.size()));
        }
        text.append(System.lineSeparator());
        goals().forEach(goal -> text.append(goal.line()).append(System.lineSeparator()));
        return text.toString();
    }

    private static String row(Workload workload, MessagingSystem system, Rounds<CellResult> cell) {
        return String.format(
                Locale.ROOT,
                "%-22s %-24s %9.0f %8.1f   %-20s %-20s%n",
                workload.name(),
                system.title(),
                cell.median(CellResult::perSecond),
                cell.median(CellResult::cpuPerGibibyte),
                millis(cell, (run, percent) -> run.latencyMillis(percent)),
                millis(cell, (run, percent) -> run.publishMillis(percent)));
    }

    /** A number of a run for a percentile. */
    private interface Percentile {
        double of(CellResult run, double percent);
    }

    private static String millis(Rounds<CellResult> cell, Percentile percentile) {
        return String.format(
                Locale.ROOT,
                "%.0f / %.0f / %.0f",
                cell.median(run -> percentile.of(run, 50)),
                cell.median(run -> percentile.of(run, 95)),
                cell.median(run -> percentile.of(run, 99)));
    }

    private String requests(Workload workload) {
        StringBuilder text = new StringBuilder();
        for (MessagingSystem system : List.of(MessagingSystem.BLOBSHUFFLE, MessagingSystem.BLOBSHUFFLE_TRANSACTIONS)) {
            Rounds<CellResult> cell = of(workload, system);
            if (!cell.runs().isEmpty()) {
                text.append(String.format(
                        Locale.ROOT,
                        "%s, %s: WAL %.0f bytes per commit, %.2f MiB/GiB; PostgreSQL %.0f transactions/s;"
                                + " store %.0f PUT/GiB, %.0f GET/GiB%n",
                        workload.name(),
                        system.title(),
                        cell.median(CellResult::walPerCommit),
                        cell.median(CellResult::walPerGibibyte) / BYTES_PER_MIB,
                        cell.median(CellResult::queriesPerSecond),
                        cell.median(CellResult::putsPerGibibyte),
                        cell.median(CellResult::getsPerGibibyte)));
            }
        }
        return text.toString();
    }

    /** The report as JSON: {@code goals} and the single {@code runs}. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("goals", goals().stream().map(Goal::asJson).toList());
        json.put("runs", runs.stream().map(CellResult::asJson).toList());
        return json;
    }
}
