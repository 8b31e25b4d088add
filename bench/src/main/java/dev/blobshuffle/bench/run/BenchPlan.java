package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.workload.Timeline;
import dev.blobshuffle.bench.workload.Workload;
import java.nio.file.Path;
import java.util.List;

/**
 * What to run.
 *
 * @param workload what
 * @param variants how
 * @param cells with which parameters
 * @param repetitions how often each
 * @param seed of the order of runs
 * @param jvmOptions of the application's processes
 * @param directory where files go
 * @param memory where the blobs of {@link Variant#BLOBS_MEMORY} go, on a memory file system
 */
public record BenchPlan(
        Workload workload,
        List<Variant> variants,
        List<Cell> cells,
        int repetitions,
        long seed,
        List<String> jvmOptions,
        Path directory,
        Path memory) {
    /**
     * Copies and checks.
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
        for (Cell cell : cells) {
            workload.source(cell.parameters(), new Timeline(0, 1));
            if (cell.parameters().number(Parameter.KILLS) > 0) {
                requireKillable(workload, cell);
            }
        }
    }

    private static void requireKillable(Workload workload, Cell cell) {
        if (!workload.bearsKills()) {
            throw new IllegalArgumentException("Cannot kill instances of " + workload.name()
                    + ": its check needs what they counted. Give the workload matcher.");
        }
        if (!cell.parameters().hasRate()) {
            throw new IllegalArgumentException(
                    "Cannot kill instances that run as fast as they can: a run may be over before. Give --rate.");
        }
    }
}
