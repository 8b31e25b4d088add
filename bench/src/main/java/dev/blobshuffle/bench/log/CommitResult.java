package dev.blobshuffle.bench.log;

import dev.blobshuffle.bench.log.LogPlan.Cell;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * One run of publishers.
 *
 * @param cell the cell of the run
 * @param round from 0
 * @param perSecond acknowledged commits per second
 * @param seconds that were measured
 * @param cpu used meanwhile
 * @param commitMicros time that a publisher waited for a commit
 * @param deadRows left behind per table
 * @param problem the first difference between the log and the published commits; empty if there is
 *     none
 */
record CommitResult(
        Cell cell,
        int round,
        double perSecond,
        double seconds,
        CommitCpu cpu,
        Histogram commitMicros,
        Map<String, Long> deadRows,
        Optional<String> problem) {
    private static final double MEDIAN = 50;
    private static final double TAIL = 95;
    private static final double MICROS_PER_MILLI = 1000;

    double medianMillis() {
        return commitMicros.getValueAtPercentile(MEDIAN) / MICROS_PER_MILLI;
    }

    double tailMillis() {
        return commitMicros.getValueAtPercentile(TAIL) / MICROS_PER_MILLI;
    }

    /** Number of processors that clients and servers kept busy. */
    double processors() {
        return cpu.processors(seconds);
    }

    /** CPU time of a commit, clients and servers, in microseconds. */
    double cpuMicros() {
        return cpu.micros(perSecond * seconds);
    }

    long allDeadRows() {
        return deadRows.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The result as a line of text. */
    String line() {
        return String.format(
                Locale.ROOT,
                "  %-17s %4d publishers %-18s %-13s %8.0f commits/s, p50 %.1f, p95 %.1f ms, %.2f processors%s",
                cell.design().title(),
                cell.publishers(),
                cell.standby() == LogPlan.Standby.NONE ? "" : "standby",
                cell.snapshot() == LogPlan.Snapshot.NONE ? "" : "old snapshot",
                perSecond,
                medianMillis(),
                tailMillis(),
                processors(),
                problem.map(text -> "  WRONG: " + text).orElse(""));
    }

    /** The result as the entry of a run in a result file. */
    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>(name(cell));
        json.put("round", round);
        json.put("commits_per_second", perSecond);
        json.put("commit_ms", Map.of("p50", medianMillis(), "p95", tailMillis()));
        json.put("seconds", seconds);
        json.put("cpu_seconds", cpu.asJson());
        json.put("dead_rows", deadRows);
        json.put("verified", problem.isEmpty());
        problem.ifPresent(text -> json.put("problem", text));
        return json;
    }

    /** The keys of a cell. */
    static Map<String, Object> name(Cell cell) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("design", cell.design().id());
        json.put("publishers", cell.publishers());
        json.put("standby", cell.standby().name().toLowerCase(Locale.ROOT));
        json.put("snapshot", cell.snapshot().name().toLowerCase(Locale.ROOT));
        return json;
    }
}
