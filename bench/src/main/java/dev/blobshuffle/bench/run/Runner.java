package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Runs a plan: for each replication factor a cluster; there, for each repetition, all cells and variants in a new seeded random order, so that what is compared ran at about the same
 * time. Owned by one thread.
 */
public final class Runner {
    private final BenchPlan plan;
    private final Consumer<String> progress;
    private final List<RunResult> results = new ArrayList<>();
    private int runs;

    /**
     * A runner.
     *
     * @param progress is told what goes on, line by line
     */
    public Runner(BenchPlan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
    }

    /** Runs everything; the results in the order in which they ran. */
    public List<RunResult> run() throws IOException, InterruptedException {
        for (int replication : replications()) {
            run(replication);
        }
        return List.copyOf(results);
    }

    private Iterable<Integer> replications() {
        TreeSet<Integer> all = new TreeSet<>();
        plan.cells().forEach(cell -> all.add(cell.parameters().count(Parameter.REPLICATION)));
        return all;
    }

    private void run(int replication) throws IOException, InterruptedException {
        progress.accept("Replication " + replication + ": starting " + replication + " broker(s)");
        Path brokers = plan.directory().resolve("brokers-" + replication);
        try (Cluster cluster = Cluster.start(replication, brokers)) {
            List<Turn> block = new ArrayList<>();
            for (Cell cell : plan.cells()) {
                if (cell.parameters().count(Parameter.REPLICATION) == replication) {
                    plan.variants().forEach(variant -> block.add(new Turn(cell, variant)));
                }
            }
            Random order = new Random(plan.seed());
            Map<String, Input> inputs = new HashMap<>();
            for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
                Collections.shuffle(block, order);
                for (Turn turn : block) {
                    RunResult result = run(cluster, turn, repetition, inputs);
                    results.add(result);
                    progress.accept(line(result));
                }
            }
        } finally {
            Directories.delete(brokers);
        }
    }

    private RunResult run(Cluster cluster, Turn turn, int repetition, Map<String, Input> inputs)
            throws IOException, InterruptedException {
        String id = plan.workload().name() + "-" + turn.variant.label() + "-" + runs++;
        Parameters parameters = turn.cell.parameters();
        if (parameters.hasRate()) {
            try (Run run = new Run(plan, cluster, turn.cell, turn.variant, repetition, id, id + "-input")) {
                return run.follow();
            }
        }
        Input input = input(cluster, parameters, inputs);
        try (Run run = new Run(plan, cluster, turn.cell, turn.variant, repetition, id, input.topic())) {
            return run.drain(input);
        }
    }

    private Input input(Cluster cluster, Parameters parameters, Map<String, Input> inputs)
            throws IOException, InterruptedException {
        StringBuilder key = new StringBuilder();
        for (Parameter parameter : List.of(
                Parameter.RECORDS,
                Parameter.WARM_UP_RECORDS,
                Parameter.RECORD_BYTES,
                Parameter.PARTITIONS,
                Parameter.SEED,
                Parameter.KEYS,
                Parameter.RULES,
                Parameter.SELECTIVITY,
                Parameter.ZIPF,
                Parameter.OUTPUT_RATE,
                Parameter.GUARANTEE)) {
            key.append(parameters.text(parameter)).append(' ');
        }
        key.append(parameters.settings().getOrDefault("topology.optimization", ""));
        Input known = inputs.get(key.toString());
        if (known == null) {
            progress.accept("Writing " + parameters.allRecords() + " records");
            String topic = "input-" + inputs.size();
            known = Input.write(
                    cluster,
                    plan.workload(),
                    parameters,
                    topic,
                    plan.directory().resolve(topic));
            inputs.put(key.toString(), known);
        }
        return known;
    }

    private String line(RunResult result) {
        String latency = result.latencyMillis(95).isPresent()
                ? String.format(
                        Locale.ROOT, ", p95 %.0f ms", result.latencyMillis(95).getAsDouble())
                : "";
        return String.format(
                Locale.ROOT,
                "  %d/%d %-13s %6.1f krec/s, CPU-s/GiB: application %.2f, brokers %.2f, compilers %.2f%s%s%s",
                result.repetition() + 1,
                plan.repetitions(),
                result.variant().label(),
                result.recordsPerSecond() / 1000,
                result.applicationCpu(),
                result.brokerCpu(),
                result.compilerCpu(),
                latency,
                result.cell().varied().isEmpty() ? "" : "  (" + result.cell().label() + ")",
                result.problem().map(problem -> "  WRONG: " + problem).orElse(""));
    }

    /** A cell and a variant, once per repetition. */
    private record Turn(Cell cell, Variant variant) {}
}
