package dev.blobshuffle.flink.internal;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.api.common.operators.SlotSharingGroup;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.SideOutputTransformation;
import org.apache.flink.streaming.api.transformations.UnionTransformation;

/**
 * Aligns the operators of a shuffle with those before and behind it, so that Flink chains them.
 * Else Flink would move each record once more, and the records of a key could lose their order. A
 * job may set both after the shuffle is built, so this runs while Flink generates the graph.
 * Stateless.
 */
public final class Neighbours {
    private Neighbours() {}

    /** A Batcher runs in the tasks of its sender. */
    public static void follow(Transformation<?> sender, Transformation<?> batcher) {
        Transformation<?> tasks = sender;
        while (tasks instanceof SideOutputTransformation) { // It keeps the parallelism of before.
            tasks = tasks.getInputs().get(0);
        }
        batcher.setParallelism(tasks.getParallelism(), tasks.isParallelismConfigured());
    }

    /**
     * A Debatcher runs in the slots of its readers.
     *
     * @param keyed the stream that leaves the shuffle
     */
    public static void precede(
            StreamExecutionEnvironment environment, Transformation<?> keyed, Transformation<?> debatcher) {
        List<SlotSharingGroup> groups = readers(environment, keyed)
                .map(Transformation::getSlotSharingGroup)
                .flatMap(Optional::stream)
                .distinct()
                .toList();
        if (groups.size() == 1) {
            debatcher.setSlotSharingGroup(groups.get(0));
        }
    }

    /**
     * A Debatcher has the parallelism of its readers, if it has none of its own.
     *
     * @param keyed the stream that leaves the shuffle
     * @throws InvalidSettingsException fatal: a reader has another one
     */
    public static void adopt(
            StreamExecutionEnvironment environment,
            Transformation<?> keyed,
            Transformation<?> debatcher,
            ShufflePlan plan) {
        List<Transformation<?>> readers = readers(environment, keyed).toList();
        boolean hasOwn = debatcher.isParallelismConfigured();
        if (!hasOwn && !readers.isEmpty()) {
            boolean isConfigured = readers.stream().anyMatch(Transformation::isParallelismConfigured);
            debatcher.setParallelism(readers.get(0).getParallelism(), isConfigured);
        }
        for (Transformation<?> reader : readers) {
            requireSame(reader, debatcher.getParallelism(), hasOwn, plan.name());
        }
        if (debatcher.getParallelism() > plan.maxParallelism()) {
            throw new InvalidSettingsException("Cannot shuffle " + plan.name() + " to " + debatcher.getParallelism()
                    + " subtasks: its max parallelism is " + plan.maxParallelism()
                    + ". Raise it in the options of the shuffle, or set pipeline.max-parallelism.");
        }
    }

    private static void requireSame(Transformation<?> reader, int parallelism, boolean isOption, String shuffle) {
        if (reader.getParallelism() != parallelism) {
            String remedy = isOption
                    ? ", as its options say. Leave the parallelism out of the options."
                    : ", that of another operator behind it. Shuffle once for each of them, or set the same one.";
            throw new InvalidSettingsException("Cannot run " + reader.getName() + " behind shuffle " + shuffle
                    + " with parallelism " + reader.getParallelism() + ": the shuffle has " + parallelism + remedy);
        }
    }

    private static Stream<Transformation<?>> readers(StreamExecutionEnvironment environment, Transformation<?> keyed) {
        return environment.getTransformations().stream()
                .filter(each -> each.getInputs().stream().anyMatch(input -> carries(input, keyed)));
    }

    /** Whether an input is the keyed stream, or a union with it. */
    private static boolean carries(Transformation<?> input, Transformation<?> keyed) {
        return input.equals(keyed)
                || input instanceof UnionTransformation
                        && input.getInputs().stream().anyMatch(each -> carries(each, keyed));
    }
}
