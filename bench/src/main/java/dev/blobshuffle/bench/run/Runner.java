package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Runs a plan. It starts a cluster for each replication factor. On it, each repetition runs all
 * cells and variants in a new seeded random order, so that compared runs are close in time. Owned
 * by one thread.
 */
public final class Runner {
    private final BenchPlan plan;
    private final Consumer<String> progress;
    private final List<RunResult> results = new ArrayList<>();
    private final TimeBox<Turn> time;
    private final RunOrder schedule;
    private final Map<Turn, Integer> leftOut = new LinkedHashMap<>();

    /**
     * A runner.
     *
     * @param progress receives the progress, line by line
     */
    public Runner(BenchPlan plan, Consumer<String> progress) {
        this(plan, progress, TimeBox.unlimited());
    }

    /**
     * A runner that leaves out runs that would not end within a time from now. The runs that matter
     * least for a first impression come last.
     *
     * @param progress receives the progress, line by line
     */
    public Runner(BenchPlan plan, Consumer<String> progress, Duration limit) {
        this(plan, progress, TimeBox.of(limit, Turn::cell, Turn::guessedNanos));
    }

    private Runner(BenchPlan plan, Consumer<String> progress, TimeBox<Turn> time) {
        this.plan = plan;
        this.progress = progress;
        this.time = time;
        schedule = new RunOrder(plan, time.isLimited());
    }

    /** Runs everything. Returns the results in the order of the runs. */
    public List<RunResult> run() throws IOException, InterruptedException {
        for (int replication : replications()) {
            run(replication);
        }
        if (!leftOut.isEmpty()) {
            progress.accept("The time is up. Left out of " + plan.repetitions() + " repetitions: "
                    + leftOut.entrySet().stream().map(this::leftOut).collect(Collectors.joining(", ")));
        }
        return List.copyOf(results);
    }

    private String leftOut(Map.Entry<Turn, Integer> turns) {
        Turn turn = turns.getKey();
        String cell = turn.cell().label().isEmpty() ? "" : " (" + turn.cell().label() + ")";
        return turn.variant().label() + cell + " "
                + (turns.getValue() == plan.repetitions() ? "all" : turns.getValue());
    }

    private Iterable<Integer> replications() {
        TreeSet<Integer> all = new TreeSet<>();
        plan.cells().forEach(cell -> all.add(cell.parameters().count(Parameter.REPLICATION)));
        return all;
    }

    /** The number of runs, and their least duration if it is known. */
    private String extent(int replication) {
        List<Parameters> cells = plan.cells().stream()
                .map(Cell::parameters)
                .filter(parameters -> parameters.count(Parameter.REPLICATION) == replication)
                .toList();
        int each = plan.repetitions() * plan.variants().size();
        long seconds = each
                * cells.stream()
                        .filter(Parameters::hasRate)
                        .mapToLong(parameters ->
                                parameters.number(Parameter.WARM_UP_SECONDS) + parameters.number(Parameter.SECONDS))
                        .sum();
        String runs = each * cells.size() + " run(s)";
        return seconds >= 60 && !time.isLimited() ? runs + ", at least " + seconds / 60 + " min" : runs;
    }

    private void run(int replication) throws IOException, InterruptedException {
        progress.accept("Replication " + replication + ": starting " + replication + " broker(s) for "
                + (time.isLimited() ? "as many as fit of " : "") + extent(replication));
        try (Session session = Session.open(plan, replication, progress)) {
            Random order = new Random(plan.seed());
            runUnmeasured(session, replication);
            for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
                for (Turn turn : schedule.repetition(replication, order)) {
                    run(session, turn, repetition);
                }
            }
        }
    }

    private void runUnmeasured(Session session, int replication) throws IOException, InterruptedException {
        Optional<Turn> unmeasured = schedule.unmeasured(replication);
        if (unmeasured.isEmpty()) {
            return;
        }
        RunResult result =
                session.runUnmeasured(unmeasured.get().cell(), unmeasured.get().variant());
        if (result.problem().isPresent()) {
            results.add(result);
            progress.accept(line(result));
        }
    }

    private void run(Session session, Turn turn, int repetition) throws IOException, InterruptedException {
        if (!leftOut.isEmpty() || !time.hasRoomFor(turn)) {
            leftOut.merge(turn, 1, Integer::sum);
            return;
        }
        long start = System.nanoTime();
        RunResult result = session.run(turn.cell(), turn.variant(), repetition);
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
}
