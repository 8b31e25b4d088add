package dev.blobshuffle.flink.internal.retain;

import dev.blobshuffle.flink.internal.ShufflePlan;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;

/**
 * Makes the coordinator of a shuffle.
 *
 * @param plan of the shuffle
 * @param operator the Debatcher
 */
public record CoordinatorProvider(ShufflePlan plan, OperatorID operator) implements OperatorCoordinator.Provider {
    private static final long serialVersionUID = 1L;

    @Override
    public OperatorID getOperatorId() {
        return operator;
    }

    @Override
    public OperatorCoordinator create(OperatorCoordinator.Context context) {
        return ShuffleCoordinator.of(plan, context);
    }
}
