package dev.blobshuffle.flink.internal;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.api.common.operators.SlotSharingGroup;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

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
        batcher.setParallelism(sender.getParallelism(), sender.isParallelismConfigured());
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
     */
    public static void adopt(
            StreamExecutionEnvironment environment, Transformation<?> keyed, Transformation<?> debatcher) {
        List<Integer> parallelisms = readers(environment, keyed)
                .map(Transformation::getParallelism)
                .distinct()
                .toList();
        if (parallelisms.size() == 1 && !debatcher.isParallelismConfigured()) {
            boolean isConfigured = readers(environment, keyed).anyMatch(Transformation::isParallelismConfigured);
            debatcher.setParallelism(parallelisms.get(0), isConfigured);
        }
    }

    private static Stream<Transformation<?>> readers(StreamExecutionEnvironment environment, Transformation<?> keyed) {
        return environment.getTransformations().stream()
                .filter(each -> each.getInputs().contains(keyed));
    }
}
