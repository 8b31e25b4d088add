package dev.blobshuffle.bench.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The runs of a result file, by subject: workload, variant and varied values.
 *
 * @param runs numbers of each run of a subject, by their names
 */
public record ResultFile(Map<String, List<Map<String, Double>>> runs) {
    /** The numbers that are read, by their path in the JSON. */
    static final List<String> NUMBERS = List.of(
            "/throughput_bytes_per_second",
            "/cpu_seconds_per_gib/application",
            "/cpu_seconds_per_gib/brokers",
            "/cpu_seconds_per_gib/all",
            "/latency_ms/p50",
            "/latency_ms/p95",
            "/latency_ms/p99",
            "/shuffle_broker_bytes_per_gib",
            "/s3_usd_per_hour_at_1_gib_per_second");

    /**
     * Reads a file that {@code --json} wrote.
     *
     * @throws IOException if it cannot be read, or has no runs
     */
    public static ResultFile read(Path file) throws IOException {
        JsonNode json = new ObjectMapper().readTree(file.toFile());
        if (!json.path("runs").isArray() || json.path("runs").isEmpty()) {
            throw new IOException("Cannot compare " + file + ": it has no runs. Give a file that --json wrote.");
        }
        Map<String, List<Map<String, Double>>> runs = new LinkedHashMap<>();
        for (JsonNode run : json.path("runs")) {
            Map<String, Double> numbers = new LinkedHashMap<>();
            for (String place : NUMBERS) {
                if (run.at(place).isNumber()) {
                    numbers.put(place, run.at(place).asDouble());
                }
            }
            runs.computeIfAbsent(subject(run), name -> new ArrayList<>()).add(numbers);
        }
        return new ResultFile(runs);
    }

    private static String subject(JsonNode run) {
        StringBuilder name = new StringBuilder();
        name.append(run.path("workload").asText())
                .append(' ')
                .append(run.path("variant").asText());
        run.path("varied")
                .properties()
                .forEach(one -> name.append(' ')
                        .append(one.getKey())
                        .append('=')
                        .append(one.getValue().asText()));
        return name.toString();
    }

    /** The spread of a number over the runs of a subject. */
    Spread spread(String subject, String number) {
        return Spread.of(runs.getOrDefault(subject, List.of()).stream()
                .map(run -> run.getOrDefault(number, Double.NaN))
                .toList());
    }
}
