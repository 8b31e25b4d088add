package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.workload.BenchWorkload;
import dev.blobshuffle.bench.workload.Timeline;
import java.nio.file.Path;
import java.util.List;

/**
 * A plan of runs.
 *
 * @param workload the workload to run
 * @param variants the variants to compare
 * @param cells the combinations of parameters
 * @param repetitions number of runs of each variant in each cell
 * @param seed of the order of runs
 * @param jvmOptions of the application's processes
 * @param directory the directory for files
 * @param memory the directory for the blobs of {@link Variant#BLOBS_MEMORY}, on a memory file
 *     system
 */
public record BenchPlan(
        BenchWorkload workload,
        List<Variant> variants,
        List<Cell> cells,
        int repetitions,
        long seed,
        List<String> jvmOptions,
        Path directory,
        Path memory) {
    private static final int LEAST_BROKERS_TO_KILL = 3;
    private static final int MOST_STORE_FAULTS = 900;

    /**
     * Copies the lists and checks the plan.
     *
     * @throws IllegalArgumentException if the plan cannot be run
     */
    public BenchPlan {
        variants = List.copyOf(variants);
        cells = List.copyOf(cells);
        jvmOptions = List.copyOf(jvmOptions);
        if (repetitions < 1) {
            throw new IllegalArgumentException("Cannot run with " + repetitions + " repetitions. Give 1 or more.");
        }
        variants.stream()
                .filter(variant -> variant.hasOperators() && !workload.hasOperators())
                .findFirst()
                .ifPresent(variant -> {
                    throw new IllegalArgumentException("Cannot run " + workload.name() + " as " + variant.label()
                            + ": it has no form with operators. Leave this variant out, or give the workload shuffle.");
                });
        for (Cell cell : cells) {
            workload.source(cell.parameters(), new Timeline(0, 1));
            if (!(cell.parameters().decimal(Parameter.STORE_SCALE) >= 1)) {
                throw new IllegalArgumentException("Cannot stand for blobs "
                        + cell.parameters().text(Parameter.STORE_SCALE)
                        + " times as large as those that are stored. Give a store scale of 1 or more.");
            }
            requirePossible(cell.parameters());
            if (cell.parameters().hasFaults()) {
                requireRobust(workload, cell);
            }
        }
    }

    private static void requirePossible(Parameters parameters) {
        if (parameters.number(Parameter.INPUT_REPLICATION) > parameters.number(Parameter.REPLICATION)) {
            throw new IllegalArgumentException("Cannot make "
                    + parameters.text(Parameter.INPUT_REPLICATION) + " replicas of the input on "
                    + parameters.text(Parameter.REPLICATION)
                    + " broker(s). Give at most that many, or more brokers: --with replication="
                    + parameters.text(Parameter.INPUT_REPLICATION));
        }
    }

    private static void requireRobust(BenchWorkload workload, Cell cell) {
        if (!workload.bearsFaults()) {
            throw new IllegalArgumentException(
                    "Cannot inject faults into " + workload.name() + ", or let instances join it"
                            + ": its check needs what instances counted. Give the workload matcher.");
        }
        if (!cell.parameters().hasRate()) {
            throw new IllegalArgumentException(
                    "Cannot inject faults into a run as fast as it goes, or let instances join it: it may be over before. Give a rate, for example --with rate=1000.");
        }
        if (cell.parameters().number(Parameter.BROKER_KILLS) > 0
                && cell.parameters().number(Parameter.REPLICATION) < LEAST_BROKERS_TO_KILL) {
            throw new IllegalArgumentException("Cannot kill one of "
                    + cell.parameters().text(Parameter.REPLICATION)
                    + " broker(s): the others would be no majority. Give --with replication=3.");
        }
        if (cell.parameters().number(Parameter.STORE_FAULTS) > MOST_STORE_FAULTS) {
            throw new IllegalArgumentException("Cannot let "
                    + cell.parameters().text(Parameter.STORE_FAULTS)
                    + " of a thousand requests go wrong: nothing would come through. Give 0 to " + MOST_STORE_FAULTS
                    + ".");
        }
    }
}
