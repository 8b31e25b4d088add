package dev.blobshuffle.flink.internal;

import java.util.List;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.api.transformations.UnionTransformation;

/**
 * The operators whose records a stream carries. As with {@code keyBy}, each of them sends to the
 * owners of the keys itself. An exchange before the shuffle, such as {@code rebalance}, would move
 * each record twice, and spread the records of a key over subtasks, which loses their order.
 * Stateless.
 */
public final class Senders {
    private Senders() {}

    /** The senders of a stream: itself, or those before its exchanges and unions. */
    @SuppressWarnings("unchecked") // The inputs of both have the type of their output.
    public static <T> List<Transformation<T>> of(Transformation<T> stream) {
        if (stream instanceof PartitionTransformation || stream instanceof UnionTransformation) {
            return stream.getInputs().stream()
                    .flatMap(input -> of((Transformation<T>) input).stream())
                    .toList();
        }
        return List.of(stream);
    }
}
