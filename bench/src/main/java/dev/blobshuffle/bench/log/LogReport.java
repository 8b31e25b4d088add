package dev.blobshuffle.bench.log;

import dev.blobshuffle.bench.log.LogPlan.Cell;
import dev.blobshuffle.bench.log.LogPlan.Snapshot;
import dev.blobshuffle.bench.report.Goal;
import dev.blobshuffle.bench.report.Rounds;
import dev.blobshuffle.bench.report.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * The runs of all cells. A ratio is the median over the rounds of ratios within one round, whose
 * runs were next to each other in time.
 *
 * @param commits runs of publishers
 * @param wal runs that counted WAL
 * @param readers runs that a reader followed
 */
public record LogReport(List<CommitResult> commits, List<WalResult> wal, List<ReaderResult> readers) {
    /** Copies the lists. */
    public LogReport {
        commits = List.copyOf(commits);
        wal = List.copyOf(wal);
        readers = List.copyOf(readers);
    }

    /** Whether each log held exactly the commits that it had acknowledged, in order. */
    public boolean isVerified() {
        return commits.stream().allMatch(result -> result.problem().isEmpty())
                && readers.stream().allMatch(result -> result.problem().isEmpty());
    }

    List<Cell> cells() {
        return commits.stream().map(CommitResult::cell).distinct().toList();
    }

    /** The median over the rounds; NaN without a run. */
    double median(Cell cell, ToDoubleFunction<CommitResult> number) {
        return of(cell).median(number);
    }

    /** One cell's number divided by another's of the same round: the median. */
    double ratio(Cell cell, Cell other, ToDoubleFunction<CommitResult> number) {
        return of(cell).ratio(of(other), number).median();
    }

    private Rounds<CommitResult> of(Cell cell) {
        return new Rounds<>(commits, CommitResult::round)
                .where(result -> result.cell().equals(cell));
    }

    /** The report as text. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%-18s %-12s %-13s %4s %10s %9s %9s %10s %9s %9s %9s%n",
                "",
                "standby",
                "old snapshot",
                "pub.",
                "commits/s",
                "p50 ms",
                "p95 ms",
                "dead rows",
                "busy CPUs",
                "CPU us",
                "staged x"));
        cells().forEach(cell -> text.append(row(cell)));
        walMedians()
                .forEach((bytes, median) -> text.append(String.format(
                        Locale.ROOT, "%nWAL per commit of %d bytes of entries: %.0f bytes", bytes, median)));
        readerGroups()
                .forEach((where, group) -> text.append(String.format(
                        Locale.ROOT,
                        "%nAcknowledged to reader, %s: p50 %.1f, p95 %.1f ms",
                        where,
                        median(group, ReaderResult::medianMillis),
                        median(group, ReaderResult::tailMillis))));
        text.append(String.format("%n%n"));
        LogGoals.of(this).forEach(goal -> text.append(goal.line()).append(System.lineSeparator()));
        return text.toString();
    }

    private String row(Cell cell) {
        return String.format(
                Locale.ROOT,
                "%-18s %-12s %-13s %4d %10.0f %9.1f %9.1f %10.0f %9.2f %9.0f %9s%n",
                cell.design().title(),
                cell.standby() == LogPlan.Standby.NONE ? "no" : "synchronous",
                cell.snapshot() == Snapshot.NONE ? "no" : "yes",
                cell.publishers(),
                median(cell, CommitResult::perSecond),
                median(cell, CommitResult::medianMillis),
                median(cell, CommitResult::tailMillis),
                median(cell, CommitResult::allDeadRows),
                median(cell, CommitResult::processors),
                median(cell, CommitResult::cpuMicros),
                times(ratio(cell.with(LogDesign.STAGED), cell, CommitResult::perSecond)));
    }

    private static String times(double ratio) {
        return Double.isNaN(ratio) ? "-" : String.format(Locale.ROOT, "%.1f", ratio);
    }

    /** Runs that a reader followed, by their kind. */
    Map<String, List<ReaderResult>> readerGroups() {
        return readers.stream()
                .collect(Collectors.groupingBy(ReaderResult::where, LinkedHashMap::new, Collectors.toList()));
    }

    /** The median over rounds. */
    static double median(List<ReaderResult> group, ToDoubleFunction<ReaderResult> number) {
        return Spread.of(group.stream().map(number::applyAsDouble).toList()).median();
    }

    /** WAL per commit by the size of its entries. */
    Map<Integer, Double> walMedians() {
        return wal.stream()
                .filter(result -> result.design() == LogDesign.STAGED)
                .collect(Collectors.groupingBy(
                        WalResult::entryBytes,
                        TreeMap::new,
                        Collectors.collectingAndThen(
                                Collectors.mapping(WalResult::bytes, Collectors.toList()),
                                numbers -> Spread.of(numbers).median())));
    }

    /** The report as JSON: {@code cells}, {@code goals} and the single runs. */
    public Map<String, Object> asJson() {
        List<Map<String, Object>> cells = new ArrayList<>();
        for (Cell cell : cells()) {
            Map<String, Object> numbers = new LinkedHashMap<>(CommitResult.name(cell));
            numbers.put("commits_per_second", median(cell, CommitResult::perSecond));
            numbers.put(
                    "commit_ms",
                    Map.of(
                            "p50", median(cell, CommitResult::medianMillis),
                            "p95", median(cell, CommitResult::tailMillis)));
            numbers.put("dead_rows", median(cell, CommitResult::allDeadRows));
            double processors = median(cell, CommitResult::processors);
            if (Double.isFinite(processors)) {
                numbers.put("busy_processors", processors);
                numbers.put("cpu_micros_per_commit", median(cell, CommitResult::cpuMicros));
            }
            double ratio = ratio(cell.with(LogDesign.STAGED), cell, CommitResult::perSecond);
            if (Double.isFinite(ratio)) {
                numbers.put("staged_times_as_fast", ratio);
            }
            cells.add(numbers);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("cells", cells);
        json.put("goals", LogGoals.of(this).stream().map(Goal::asJson).toList());
        json.put("runs", commits.stream().map(CommitResult::asJson).toList());
        json.put("readers", readers.stream().map(ReaderResult::asJson).toList());
        json.put("wal", wal.stream().map(WalResult::asJson).toList());
        return json;
    }
}
