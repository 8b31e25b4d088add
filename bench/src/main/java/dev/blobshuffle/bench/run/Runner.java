package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Runs a plan: for each replication factor a cluster; there, for each repetition, all cells and variants in a new seeded random order, so that what is compared ran at about the same
 * time. Owned by one thread.
 */
public final class Runner {
    private static final Duration NO_LIMIT = Duration.ofDays(365);

    private final BenchPlan plan;
    private final Consumer<String> progress;
    private final List<RunResult> results = new ArrayList<>();
    private final long deadline;

    /**
     * A runner.
     *
     * @param progress is told what goes on, line by line
     */
    public Runner(BenchPlan plan, Consumer<String> progress) {
        this(plan, progress, NO_LIMIT);
    }

    /**
     * A runner that begins no further run after a time, but for those of the first repetition.
     *
     * @param progress is told what goes on, line by line
     */
    public Runner(BenchPlan plan, Consumer<String> progress, Duration limit) {
        this.plan = plan;
        this.progress = progress;
        deadline = System.nanoTime() + limit.toNanos();
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
        try (Session session = Session.open(plan, replication, progress)) {
            List<Turn> block = new ArrayList<>();
            for (Cell cell : plan.cells()) {
                if (cell.parameters().count(Parameter.REPLICATION) == replication) {
                    plan.variants().forEach(variant -> block.add(new Turn(cell, variant)));
                }
            }
            Random order = new Random(plan.seed());
            for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
                Collections.shuffle(block, order);
                for (Turn turn : block) {
                    if (System.nanoTime() - deadline > 0 && repetition > 0) {
                        progress.accept("  the time is up: no more repetitions");
                        return;
                    }
                    RunResult result = session.run(turn.cell, turn.variant, repetition);
                    results.add(result);
                    progress.accept(line(result));
                }
            }
        }
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
