package dev.blobshuffle.bench.flight;

import dev.blobshuffle.bench.flight.FlightPlan.Cell;
import dev.blobshuffle.bench.report.Goal;
import dev.blobshuffle.bench.report.Rounds;
import dev.blobshuffle.bench.report.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The runs of all cells, in {@link Rounds}.
 */
public final class FlightReport {
    private static final double GOAL_SCALE = 4;
    private static final String GOAL_CODEC = "lz4";
    private static final Map<Integer, Double> GOAL_CPU_SECONDS = Map.of(100, 30.0, 1000, 42.0);
    private static final int MANY_PARTITIONS = 8192;
    private static final double MOST_MEMORY = 1000;
    private static final double BYTES_PER_MB = 1e6;

    private final FlightPlan plan;
    private final List<FlightResult> runs;

    FlightReport(FlightPlan plan, List<FlightResult> runs) {
        this.plan = plan;
        this.runs = List.copyOf(runs);
    }

    /** Whether each run ended with the rows that it began with. */
    public boolean isVerified() {
        return runs.stream().allMatch(FlightResult::isRight);
    }

    /** Whether each run of this project's system was right, whatever the other systems did. */
    public boolean isOwnVerified() {
        return runs.stream()
                .filter(run -> run.cell().system() == FlightSystem.BLOBS)
                .allMatch(FlightResult::isRight);
    }

    FlightPlan plan() {
        return plan;
    }

    Spread spread(Cell cell, ToDoubleFunction<FlightResult> number) {
        return of(cell).spread(number);
    }

    private Rounds<FlightResult> of(Cell cell) {
        return new Rounds<>(runs, FlightResult::round)
                .where(run -> run.isRight() && run.cell().equals(cell));
    }

    /** CPU of a system as a multiple of that of ours in the same round. */
    private double ratio(Cell other) {
        return of(other)
                .ratio(of(other.with(FlightSystem.BLOBS)), FlightResult::cpuSeconds)
                .median();
    }

    /** The goals that the runs can judge; absolute ones only at the scale that they are of. */
    List<Goal> goals() {
        List<Goal> goals = new ArrayList<>();
        for (Cell cell : plan.cells()) {
            String where = "N=" + cell.partitions() + ", " + cell.codec() + ": ";
            if (cell.system() != FlightSystem.BLOBS) {
                goals.add(new Goal(
                        where + "CPU of " + cell.system().title() + " as a multiple of ours", ratio(cell), true, 1));
            } else if (plan.scale() == GOAL_SCALE && cell.codec().equals(GOAL_CODEC)) {
                goals.addAll(absolute(cell, where));
            }
        }
        return goals.stream().filter(goal -> Double.isFinite(goal.number())).toList();
    }

    private List<Goal> absolute(Cell cell, String where) {
        List<Goal> goals = new ArrayList<>();
        Double limit = GOAL_CPU_SECONDS.get(cell.partitions());
        if (limit != null) {
            goals.add(new Goal(
                    where + "CPU-s", spread(cell, FlightResult::cpuSeconds).median(), false, limit));
        }
        if (cell.partitions() == MANY_PARTITIONS) {
            goals.add(new Goal(
                    where + "peak memory, MB",
                    spread(cell, FlightResult::memoryBytes).max() / BYTES_PER_MB,
                    false,
                    MOST_MEMORY));
        }
        return goals;
    }

    /** The report as text. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%-6s %-5s %-14s %5s %18s %7s %8s %9s %8s  %s%n",
                "N",
                "codec",
                "system",
                "runs",
                "CPU-s (min-max)",
                "x ours",
                "wall s",
                "memory MB",
                "disk MB",
                "checked"));
        plan.cells().forEach(cell -> text.append(row(cell)));
        text.append(System.lineSeparator());
        goals().forEach(goal -> text.append(goal.line()).append(System.lineSeparator()));
        return text.toString();
    }

    private String row(Cell cell) {
        List<FlightResult> right = of(cell).runs();
        String head = String.format(
                Locale.ROOT,
                "%-6d %-5s %-14s %5d",
                cell.partitions(),
                cell.codec(),
                cell.system().title(),
                right.size());
        if (right.isEmpty()) {
            return head + " no run was right" + System.lineSeparator();
        }
        Spread cpu = spread(cell, FlightResult::cpuSeconds);
        return String.format(
                Locale.ROOT,
                "%s %18s %7s %8.1f %9.0f %8.0f  %s%n",
                head,
                String.format(Locale.ROOT, "%.1f (%.1f-%.1f)", cpu.median(), cpu.min(), cpu.max()),
                cell.system() == FlightSystem.BLOBS || Double.isNaN(ratio(cell))
                        ? ""
                        : String.format(Locale.ROOT, "%.2f", ratio(cell)),
                spread(cell, FlightResult::wallSeconds).median(),
                spread(cell, FlightResult::memoryBytes).max() / BYTES_PER_MB,
                spread(cell, FlightResult::diskBytes).median() / BYTES_PER_MB,
                right.get(0).checksPartitions() ? "each partition" : "in all");
    }

    /** The report as JSON: {@code goals} and the single {@code runs}. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("goals", goals().stream().map(Goal::asJson).toList());
        json.put("runs", runs.stream().map(FlightResult::asJson).toList());
        return json;
    }
}
