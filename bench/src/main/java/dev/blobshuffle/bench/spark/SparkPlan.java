package dev.blobshuffle.bench.spark;

import dev.blobshuffle.planner.LatencyProfile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The plan of a benchmark.
 *
 * @param version of Spark, as on PyPI
 * @param systems in the order in which they take turns
 * @param workloads that each application runs, one after the other
 * @param rows of the largest table of a workload
 * @param maps that read this table
 * @param partitions of each shuffle
 * @param repetitions of a workload within an application, after one to warm up
 * @param rounds how often each system runs
 * @param limit of one application, 1 second or more
 * @param latency of the store, which is a server over TLS; empty for a directory
 * @param jars of plug-ins
 */
public record SparkPlan(
        String version,
        List<SparkSystem> systems,
        List<String> workloads,
        long rows,
        int maps,
        int partitions,
        int repetitions,
        int rounds,
        Duration limit,
        Optional<LatencyProfile> latency,
        Map<SparkSystem, Path> jars) {
    /** Names of all workloads, which are functions in {@code python/bench/spark/workloads.py}. */
    public static final List<String> WORKLOADS = List.of("repartition", "sort", "join", "rank");

    /** Checks the plan. */
    public SparkPlan {
        systems = List.copyOf(systems);
        workloads = List.copyOf(workloads);
        jars = Map.copyOf(jars);
        if (!version.matches("\\d+\\.\\d+\\.\\d+")) {
            throw new IllegalArgumentException(
                    "Cannot run Spark " + version + ": give a release such as --spark-version=4.2.0.");
        }
        if (!WORKLOADS.containsAll(workloads)) {
            throw new IllegalArgumentException(
                    "Cannot run workloads " + workloads + ": there are " + String.join(", ", WORKLOADS) + ".");
        }
        if (rows < 1 || maps < 1 || partitions < 1 || repetitions < 1 || rounds < 1 || limit.toSeconds() < 1) {
            throw new IllegalArgumentException(
                    "Cannot run the plan: rows, maps, partitions, repetitions, rounds and limit must be above 0.");
        }
    }

    /** The jar of a system's plug-in. Native Spark uses none of it. */
    Path jar(SparkSystem system) {
        return jars.getOrDefault(system, Path.of(""));
    }
}
