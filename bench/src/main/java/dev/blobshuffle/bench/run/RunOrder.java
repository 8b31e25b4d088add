package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * The order of a plan's runs.
 *
 * @param isLimited whether the time may end before the plan does. The cells of a repetition are
 *     then in the plan's order, with {@link Variant#NATIVE_TUNED} last except in the first cell, so
 *     that the least important runs are left out
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
     * The unmeasured run before all others, if CPU time is compared. New brokers include JIT
     * warm-up: the first run takes twice as much of their CPU time as later runs, which is more
     * than most differences between variants.
     */
    Optional<Turn> unmeasured(int replication) {
        List<Turn> turns = repetition(replication, new Random(plan.seed()));
        Turn first = Collections.min(turns, Comparator.comparing(Turn::variant)); // native loads the brokers most
        boolean isCompared = turns.size() * plan.repetitions() > 1;
        return !isLimited && isCompared && first.isLong() ? Optional.of(first) : Optional.empty();
    }
}
