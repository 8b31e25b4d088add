package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Runs a plan: for each replication factor a cluster; there, for each repetition, all cells and variants in a new seeded random order, so that what is compared ran at about the same
 * time. Owned by one thread.
 */
public final class Runner {
    private final BenchPlan plan;
    private final Consumer<String> progress;
    private final List<RunResult> results = new ArrayList<>();
    private final TimeBox<Turn> time;
    private final Map<Turn, Integer> leftOut = new LinkedHashMap<>();

    /**
     * A runner.
     *
     * @param progress is told what goes on, line by line
     */
    public Runner(BenchPlan plan, Consumer<String> progress) {
        this(plan, progress, TimeBox.unlimited());
    }

    /**
     * A runner that leaves out runs that would not end within a time from now. The cells of a repetition then follow each other as in the plan, {@link Variant#NATIVE_TUNED} last but for
     * the first cell, so that what is left out is the end of it.
     *
     * @param progress is told what goes on, line by line
     */
    public Runner(BenchPlan plan, Consumer<String> progress, Duration limit) {
        this(plan, progress, TimeBox.of(limit, Turn::cell));
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
        if (!leftOut.isEmpty()) {
            progress.accept("The time is up. Left out of " + plan.repetitions() + " repetitions: "
                    + leftOut.entrySet().stream().map(this::leftOut).collect(Collectors.joining(", ")));
        }
        return List.copyOf(results);
    }

    private String leftOut(Map.Entry<Turn, Integer> turns) {
        Turn turn = turns.getKey();
        String cell = turn.cell.label().isEmpty() ? "" : " (" + turn.cell.label() + ")";
        return turn.variant.label() + cell + " " + (turns.getValue() == plan.repetitions() ? "all" : turns.getValue());
    }

    private Iterable<Integer> replications() {
        TreeSet<Integer> all = new TreeSet<>();
        plan.cells().forEach(cell -> all.add(cell.parameters().count(Parameter.REPLICATION)));
        return all;
    }

    /** How many runs there are, and how long they take at least if that is known. */
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
                for (Turn turn : block(replication, order)) {
                    run(session, turn, repetition);
                }
            }
        }
    }

    /**
     * The JVMs of new brokers are young: what is the first to run takes twice as much of their CPU time as what comes later, more than most differences between variants. So something runs before, where CPU time is worth
     * comparing.
     */
    private void runUnmeasured(Session session, int replication) throws IOException, InterruptedException {
        List<Turn> block = block(replication, new Random(plan.seed()));
        Turn first = Collections.min(block, Comparator.comparing(Turn::variant)); // native gives brokers most to do
        if (time.isLimited() || block.size() * plan.repetitions() == 1 || !first.isLong()) {
            return;
        }
        progress.accept("First " + first.variant.label() + " once without measuring it: the brokers' JVMs are young");
        RunResult result = session.run(first.cell, first.variant, 0);
        if (result.problem().isPresent()) {
            results.add(result);
            progress.accept(line(result));
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
            block.sort(Comparator.comparingInt(this::rank));
        }
        return block;
    }

    /** The cells as in the plan; of the first all variants, and of the others those that a first impression can do without at the end. */
    private int rank(Turn turn) {
        int cell = plan.cells().indexOf(turn.cell);
        return cell > 0 && turn.variant == Variant.NATIVE_TUNED ? plan.cells().size() : cell;
    }

    private void run(Session session, Turn turn, int repetition) throws IOException, InterruptedException {
        if (!leftOut.isEmpty() || !time.hasRoomFor(turn)) {
            leftOut.merge(turn, 1, Integer::sum);
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
    private record Turn(Cell cell, Variant variant) {
        private static final int MANY_RECORDS = 500_000;
        private static final int MANY_SECONDS = 20;

        private boolean isLong() {
            Parameters parameters = cell.parameters();
            return parameters.hasRate()
                    ? parameters.number(Parameter.SECONDS) >= MANY_SECONDS
                    : parameters.number(Parameter.RECORDS) >= MANY_RECORDS;
        }
    }
}
