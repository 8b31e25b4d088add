package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.process.Directories;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A cluster on which runs follow each other; inputs without a rate are written once. Owned by one
 * thread.
 */
public final class Session implements Testbed {
    private final BenchPlan plan;
    private final Cluster cluster;
    private final Path brokers;
    private final Consumer<String> progress;
    private final Map<String, CheckedInput> inputs = new HashMap<>();
    private int runs;

    private Session(BenchPlan plan, Cluster cluster, Path brokers, Consumer<String> progress) {
        this.plan = plan;
        this.cluster = cluster;
        this.brokers = brokers;
        this.progress = progress;
    }

    /** Starts the brokers. */
    public static Session open(BenchPlan plan, int replication, Consumer<String> progress) {
        Path brokers = plan.directory().resolve("brokers-" + replication);
        return new Session(plan, Cluster.start(replication, brokers), brokers, progress);
    }

    @Override
    public RunResult runUnmeasured(Cell cell, Variant variant) throws IOException, InterruptedException {
        progress.accept("First " + variant.label() + " once without measuring it: the brokers' JVMs are young");
        return run(cell, variant, 0);
    }

    @Override
    public RunResult run(Cell cell, Variant variant, int repetition) throws IOException, InterruptedException {
        String id = plan.workload().name() + "-" + variant.label() + "-" + runs++;
        Parameters parameters = cell.parameters();
        if (parameters.hasRate()) {
            try (Run run = new Run(plan, cluster, cell, variant, repetition, id, id + "-input")) {
                return run.follow();
            }
        }
        CheckedInput input = input(parameters);
        try (Run run = new Run(plan, cluster, cell, variant, repetition, id, input.topic())) {
            return run.drain(input);
        }
    }

    private CheckedInput input(Parameters parameters) throws IOException, InterruptedException {
        StringBuilder key = new StringBuilder();
        for (Parameter parameter : List.of(
                Parameter.RECORDS,
                Parameter.WARM_UP_RECORDS,
                Parameter.RECORD_BYTES,
                Parameter.PARTITIONS,
                Parameter.INPUT_REPLICATION,
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
        CheckedInput known = inputs.get(key.toString());
        if (known == null) {
            progress.accept("Writing " + parameters.allRecords() + " records");
            String topic = "input-" + inputs.size();
            Path load = plan.directory().resolve(topic);
            known = CheckedInput.write(cluster, plan.workload(), parameters, topic, load);
            Directories.delete(load);
            inputs.put(key.toString(), known);
        }
        return known;
    }

    @Override
    public void close() throws IOException {
        cluster.close();
        Directories.delete(brokers);
    }
}
