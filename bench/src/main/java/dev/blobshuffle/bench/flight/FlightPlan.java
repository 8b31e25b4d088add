package dev.blobshuffle.bench.flight;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The plan of a benchmark.
 *
 * @param systems that shuffle
 * @param scale of TPC-H; 1 is 6,001,215 rows
 * @param partitions numbers of partitions
 * @param codecs of the stored rows
 * @param rounds how often each cell is run
 * @param limit of one run
 */
public record FlightPlan(
        List<FlightSystem> systems,
        double scale,
        List<Integer> partitions,
        List<String> codecs,
        int rounds,
        Duration limit) {
    private static final List<String> CODECS = List.of("none", "lz4", "zstd");

    /**
     * One thing to run.
     *
     * @param system that shuffles
     * @param partitions how many
     * @param codec of the stored rows
     */
    public record Cell(FlightSystem system, int partitions, String codec) {
        /** The same for another system. */
        Cell with(FlightSystem other) {
            return new Cell(other, partitions, codec);
        }
    }

    /** Checks the plan. */
    public FlightPlan {
        systems = List.copyOf(systems);
        partitions = List.copyOf(partitions);
        codecs = List.copyOf(codecs);
        if (!(scale > 0) || rounds < 1 || partitions.stream().anyMatch(number -> number < 1)) {
            throw new IllegalArgumentException("Cannot shuffle scale " + scale + " into " + partitions + " partitions, "
                    + rounds + " times: each must be above 0.");
        }
        if (!CODECS.containsAll(codecs)) {
            throw new IllegalArgumentException(
                    "Cannot shuffle with codecs " + codecs + ": legal are " + String.join(", ", CODECS) + ".");
        }
    }

    /**
     * The cells in the order in which they run: all systems for each size and codec. A system
     * without a choice of codecs runs with the first codec only.
     */
    List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (int number : partitions) {
            for (String codec : codecs) {
                for (FlightSystem system : systems) {
                    if (system.hasCodecs() || codec.equals(codecs.get(0))) {
                        cells.add(new Cell(system, number, codec));
                    }
                }
            }
        }
        return cells;
    }
}
