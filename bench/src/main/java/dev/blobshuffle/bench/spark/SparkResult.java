package dev.blobshuffle.bench.spark;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One job.
 *
 * @param system that shuffled
 * @param round counted from 0
 * @param workload its name
 * @param outcome number of its rows, and their sum
 * @param cpuSeconds of driver and executors, uploads included
 * @param wallSeconds from the start of the job to its last row
 * @param memoryBytes of driver and executors, at the peak
 * @param diskBytes of the executors' files, at the peak
 * @param shuffleBytes that maps wrote
 */
public record SparkResult(
        SparkSystem system,
        int round,
        String workload,
        String outcome,
        double cpuSeconds,
        double wallSeconds,
        double memoryBytes,
        double diskBytes,
        double shuffleBytes) {
    private static final double BYTES_PER_MB = 1e6;

    /** The job that {@code measure.py} has printed. */
    static SparkResult of(SparkSystem system, int round, JsonNode printed) {
        return new SparkResult(
                system,
                round,
                printed.path("workload").asText(),
                printed.path("count").asText() + " rows, sum "
                        + printed.path("sum").asText(),
                printed.path("cpu_seconds").asDouble(),
                printed.path("wall_seconds").asDouble(),
                printed.path("peak_memory_bytes").asDouble(),
                printed.path("peak_disk_bytes").asDouble(),
                printed.path("shuffle_bytes").asDouble());
    }

    /** A line for output while the benchmark runs. */
    String line() {
        return String.format(
                Locale.ROOT,
                "%-12s %-20s %6.1f CPU-s %6.1f s %6.0f MB shuffled",
                workload,
                system.title(),
                cpuSeconds,
                wallSeconds,
                shuffleBytes / BYTES_PER_MB);
    }

    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("system", system.name());
        json.put("round", round);
        json.put("workload", workload);
        json.put("outcome", outcome);
        json.put("cpu_seconds", cpuSeconds);
        json.put("wall_seconds", wallSeconds);
        json.put("peak_memory_bytes", memoryBytes);
        json.put("peak_disk_bytes", diskBytes);
        json.put("shuffle_bytes", shuffleBytes);
        return json;
    }
}
