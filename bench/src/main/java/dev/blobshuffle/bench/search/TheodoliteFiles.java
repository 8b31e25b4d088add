package dev.blobshuffle.bench.search;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Writes results in Theodolite's file format, so that its notebooks can read them. {@code
 * expID.txt} counts the experiments of a directory. The names of all other files begin with {@code
 * exp} and the number. The result of a search whose objective is not met is {@code null}. Owned by
 * one thread.
 */
public final class TheodoliteFiles {
    private static final String INDICATOR = "lag-trend";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path directory;
    private final int id;
    private final List<Map<String, Object>> experiments = new ArrayList<>();

    private TheodoliteFiles(Path directory, int id) {
        this.directory = directory;
        this.id = id;
    }

    /** Takes the next number of a directory. */
    public static TheodoliteFiles open(Path directory) throws IOException {
        Files.createDirectories(directory);
        Path counter = directory.resolve("expID.txt");
        int id = Files.exists(counter)
                ? Integer.parseInt(Files.readString(counter).strip())
                : 0;
        Files.writeString(counter, Integer.toString(id + 1));
        return new TheodoliteFiles(directory, id);
    }

    /** The number of the experiment. */
    public int id() {
        return id;
    }

    /** Writes the configuration of a search. */
    public void writeConfiguration(Map<String, Object> benchmark, Map<String, Object> execution) throws IOException {
        write("benchmark-configuration.json", JSON.writeValueAsString(benchmark));
        write("execution-configuration.json", JSON.writeValueAsString(execution));
    }

    /** Writes the backlog over time of a run. */
    public void writeIndicator(long load, long resources, RunResult run) throws IOException {
        StringBuilder text = new StringBuilder("labels,timestamp,value\n");
        for (Sample sample : run.samples()) {
            text.append("{},")
                    .append(Math.round(sample.seconds()))
                    .append(',')
                    .append((double) sample.backlog())
                    .append('\n');
        }
        String name = load + "_" + resources + "_sli_" + INDICATOR + "_" + (run.repetition() + 1) + ".csv";
        Files.writeString(directory.resolve("exp" + id + "_" + name), text);
    }

    /** Records whether all objectives held. */
    public void add(long load, long resources, boolean isHeld) {
        Map<String, Object> experiment = new LinkedHashMap<>();
        experiment.put("load", load);
        experiment.put("resources", resources);
        experiment.put("result", isHeld);
        experiments.add(experiment);
    }

    /** Writes the result of a search: resources by load. */
    public void writeDemand(Map<Long, OptionalLong> demand) throws IOException {
        writeResult("demand", "load,resources", demand);
    }

    /** Writes the result of a search: loads by resources. */
    public void writeCapacity(Map<Long, OptionalLong> capacity) throws IOException {
        writeResult("capacity", "resource,loads", capacity);
    }

    private void writeResult(String metric, String header, Map<Long, OptionalLong> found) throws IOException {
        StringBuilder text = new StringBuilder(header).append('\n');
        found.forEach((one, other) -> text.append(one)
                .append(',')
                .append(other.isPresent() ? Long.toString(other.getAsLong()) : "null")
                .append('\n'));
        Files.writeString(directory.resolve("exp" + id + "_" + metric + ".csv"), text);
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("metric", metric);
        result.put("experimentResults", experiments);
        write("result.json", JSON.writeValueAsString(result));
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(directory.resolve("exp" + id + "-" + name), text);
    }
}
