package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
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
    private final BenchPlan plan;
    private final Consumer<String> progress;
    private final List<RunResult> results = new ArrayList<>();
    private final TimeBox<Turn> time;
    private int leftOut;

    /**
     * A runner.
     *
     * @param progress is told what goes on, line by line
     */
    public Runner(BenchPlan plan, Consumer<String> progress) {
        this(plan, progress, TimeBox.unlimited());
    }

    /**
     * A runner that leaves out runs that would not end within a time from now. The cells of a repetition then follow each other as in the plan, so that what is left out is the end of
     * it.
     *
     * @param progress is told what goes on, line by line
     */
    public Runner(BenchPlan plan, Consumer<String> progress, Duration limit) {
        this(plan, progress, TimeBox.of(limit));
    }

    private Runner(BenchPlan plan, Consumer<String> progress, TimeBox<Turn> time) {
        this.plan = plan;
        this.progress = progress;
        this.time = time;
    }

    /** Runs everything; the results in the order in which they ran. */
    public List<RunResult> run() throws IOException, InterruptedException {
        for (int replication : replications()) {
            run(replication);
        }
        if (leftOut > 0) {
            progress.accept("The time is up: " + leftOut + " of "
                    + plan.repetitions() * plan.cells().size() * plan.variants().size() + " runs were left out");
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
            Random order = new Random(plan.seed());
            for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
                for (Turn turn : block(replication, order)) {
                    run(session, turn, repetition);
                }
            }
        }
    }

    /** The runs of a repetition in their order. */
    private List<Turn> block(int replication, Random order) {
        List<Turn> block = new ArrayList<>();
        for (Cell cell : plan.cells()) {
            if (cell.parameters().count(Parameter.REPLICATION) == replication) {
                plan.variants().forEach(variant -> block.add(new Turn(cell, variant)));
            }
        }
        Collections.shuffle(block, order);
        if (time.isLimited()) {
            block.sort(Comparator.comparingInt(turn -> plan.cells().indexOf(turn.cell)));
        }
        return block;
    }

    private void run(Session session, Turn turn, int repetition) throws IOException, InterruptedException {
        if (!time.hasRoomFor(turn)) {
            leftOut++;
            return;
        }
        long start = System.nanoTime();
        RunResult result = session.run(turn.cell, turn.variant, repetition);
        time.took(turn, System.nanoTime() - start);
        results.add(result);
        progress.accept(line(result));
    }

    private String line(RunResult result) {
        String latency = result.latencyMillis(95).isPresent()
                ? String.format(
                        Locale.ROOT, ", p95 %.0f ms", result.latencyMillis(95).getAsDouble())
                : "";
        String cpu = Double.isFinite(result.allCpu())
                ? String.format(
                        Locale.ROOT,
                        ", CPU-s/GiB: application %.2f, brokers %.2f, compilers %.2f",
                        result.applicationCpu(),
                        result.brokerCpu(),
                        result.compilerCpu())
                : "";
        return String.format(
                Locale.ROOT,
                "  %d/%d %-13s %6.1f krec/s%s%s%s%s",
                result.repetition() + 1,
                plan.repetitions(),
                result.variant().label(),
                result.recordsPerSecond() / 1000,
                cpu,
                latency,
                result.cell().varied().isEmpty() ? "" : "  (" + result.cell().label() + ")",
                result.problem().map(problem -> "  WRONG: " + problem).orElse(""));
    }

    /** A cell and a variant, once per repetition. */
    private record Turn(Cell cell, Variant variant) {}
}
