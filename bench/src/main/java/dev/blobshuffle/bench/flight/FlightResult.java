package dev.blobshuffle.bench.flight;

import dev.blobshuffle.bench.flight.FlightPlan.Cell;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/**
 * One run.
 *
 * @param cell the cell of the run
 * @param round counted from 0
 * @param cpuSeconds of all processes
 * @param wallSeconds from the start of the work to its result
 * @param memoryBytes of all processes together, at the peak; includes {@code sharedBytes}
 * @param sharedBytes shared memory, such as an object store, at its peak
 * @param diskBytes of its files, at the peak
 * @param checksPartitions whether rows were counted for each partition, not only in total
 * @param problem why the run is void; empty if it is right
 */
public record FlightResult(
        Cell cell,
        int round,
        double cpuSeconds,
        double wallSeconds,
        double memoryBytes,
        double sharedBytes,
        double diskBytes,
        boolean checksPartitions,
        String problem) {
    private static final double BYTES_PER_MB = 1e6;

    /** The result that {@code measure.py} has printed. */
    static FlightResult of(Cell cell, int round, Properties measured) {
        return new FlightResult(
                cell,
                round,
                number(measured, "cpu_seconds"),
                number(measured, "wall_seconds"),
                number(measured, "peak_memory_bytes"),
                number(measured, "peak_shared_memory_bytes"),
                number(measured, "peak_disk_bytes"),
                Boolean.parseBoolean(measured.getProperty("checks_partitions", "false")),
                measured.getProperty("problem", "it printed nothing"));
    }

    private static double number(Properties measured, String name) {
        return Double.parseDouble(measured.getProperty(name, "NaN"));
    }

    /** Whether counts and sums were right. */
    boolean isRight() {
        return problem.isEmpty();
    }

    /** A line for output while the benchmark runs. */
    String line() {
        String what =
                String.format(Locale.ROOT, "%-14s N=%-5d %-5s", cell.system().title(), cell.partitions(), cell.codec());
        return isRight()
                ? String.format(
                        Locale.ROOT,
                        "%s %7.1f CPU-s %7.1f s %6.0f MB memory (%.0f shared) %6.0f MB on disk",
                        what,
                        cpuSeconds,
                        wallSeconds,
                        memoryBytes / BYTES_PER_MB,
                        sharedBytes / BYTES_PER_MB,
                        diskBytes / BYTES_PER_MB)
                : what + " VOID: " + problem;
    }

    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("system", cell.system().name());
        json.put("partitions", cell.partitions());
        json.put("codec", cell.codec());
        json.put("round", round);
        json.put("cpu_seconds", cpuSeconds);
        json.put("wall_seconds", wallSeconds);
        json.put("peak_memory_bytes", memoryBytes);
        json.put("peak_shared_memory_bytes", sharedBytes);
        json.put("peak_disk_bytes", diskBytes);
        json.put("checks_partitions", checksPartitions);
        json.put("problem", problem);
        return json;
    }
}
