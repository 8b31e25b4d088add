package dev.blobshuffle.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;

/**
 * Runs of one kind, in rounds. The runs of a round are next to each other in time, so a ratio is
 * the median over the rounds of ratios within one round.
 *
 * @param runs all runs
 * @param round the round of a run
 * @param <R> a run
 */
public record Rounds<R>(List<R> runs, ToIntFunction<R> round) {
    /** Copies the list. */
    public Rounds {
        runs = List.copyOf(runs);
    }

    /** Those of the runs that meet a condition. */
    public Rounds<R> where(Predicate<R> condition) {
        return new Rounds<>(runs.stream().filter(condition).toList(), round);
    }

    /** The spread of a number. */
    public Spread spread(ToDoubleFunction<R> number) {
        return Spread.of(runs.stream().map(number::applyAsDouble).toList());
    }

    /** The median of a number; NaN without a run. */
    public double median(ToDoubleFunction<R> number) {
        return spread(number).median();
    }

    /** The spread of the ratio to runs of the same round. */
    public Spread ratio(Rounds<R> reference, ToDoubleFunction<R> number) {
        List<Double> ratios = new ArrayList<>();
        for (R run : runs) {
            for (R other : reference.runs) {
                if (round.applyAsInt(run) == round.applyAsInt(other)) {
                    ratios.add(number.applyAsDouble(run) / number.applyAsDouble(other));
                }
            }
        }
        return Spread.of(ratios);
    }
}
