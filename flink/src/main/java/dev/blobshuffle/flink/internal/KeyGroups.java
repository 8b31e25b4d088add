package dev.blobshuffle.flink.internal;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Gives the operators behind a shuffle its number of key groups. Flink splits the groups among the
 * subtasks of each operator by that operator's own number, and those with two inputs, or at the
 * beginning of a chain, do not get it from the operator before them. Stateless.
 */
public final class KeyGroups {
    private KeyGroups() {}

    /**
     * Sets the max parallelism of the operators that read a keyed stream. Called while Flink
     * generates the graph: then all of them are known.
     *
     * @param keyed the stream that leaves the shuffle
     * @throws InvalidSettingsException fatal: an operator has set another
     */
    public static void align(StreamExecutionEnvironment environment, Transformation<?> keyed, ShufflePlan plan) {
        for (Transformation<?> each : environment.getTransformations()) {
            if (each.getInputs().contains(keyed)) {
                align(each, environment.getMaxParallelism(), plan);
            }
        }
    }

    private static void align(Transformation<?> operator, int usual, ShufflePlan plan) {
        int max = operator.getMaxParallelism();
        // Flink has set the job's own where none was given.
        if (max > 0 && max != usual && max != plan.maxParallelism()) {
            throw new InvalidSettingsException("Cannot use max parallelism " + max + " for operator "
                    + operator.getName() + ": it uses the keys of shuffle " + plan.name()
                    + ", whose max parallelism is "
                    + plan.maxParallelism()
                    + ". Set it to that, or leave it out, and set that of the shuffle in its options.");
        }
        if (max != plan.maxParallelism()) {
            operator.setMaxParallelism(plan.maxParallelism());
        }
    }
}
