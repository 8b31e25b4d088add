package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * In which order a plan's runs follow each other.
 *
 * @param isLimited whether the time may end before the plan does: the cells of a repetition then
 *     follow each other as in the plan, {@link Variant#NATIVE_TUNED} last but for the first cell,
 *     so that what is left out is the end of it
 */
record RunOrder(BenchPlan plan, boolean isLimited) {
    /** The runs of a repetition. */
    List<Turn> repetition(int replication, Random order) {
        List<Turn> turns = new ArrayList<>();
        for (Cell cell : plan.cells()) {
            if (cell.parameters().count(Parameter.REPLICATION) == replication) {
                plan.variants().forEach(variant -> turns.add(new Turn(cell, variant)));
            }
        }
        Collections.shuffle(turns, order);
        if (isLimited) {
            turns.sort(Comparator.comparingInt(this::rank));
        }
        return turns;
    }

    private int rank(Turn turn) {
        int cell = plan.cells().indexOf(turn.cell());
        return cell > 0 && turn.variant() == Variant.NATIVE_TUNED ? plan.cells().size() : cell;
    }

    /**
     * What runs before everything else without being measured, where CPU time is worth comparing.
     * The JVMs of new brokers are young: what is the first to run takes twice as much of their CPU
     * time as what comes later, more than most differences between variants.
     */
    Optional<Turn> unmeasured(int replication) {
        List<Turn> turns = repetition(replication, new Random(plan.seed()));
        Turn first = Collections.min(turns, Comparator.comparing(Turn::variant)); // native gives brokers most to do
        boolean isCompared = turns.size() * plan.repetitions() > 1;
        return !isLimited && isCompared && first.isLong() ? Optional.of(first) : Optional.empty();
    }
}
