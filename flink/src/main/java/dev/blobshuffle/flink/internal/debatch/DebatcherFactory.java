package dev.blobshuffle.flink.internal.debatch;

import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.retain.CoordinatorProvider;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.jspecify.annotations.Nullable;

/** Makes the Debatcher of each subtask. Immutable but for what Flink sets. */
public final class DebatcherFactory<T> extends AbstractStreamOperatorFactory<T>
        implements OneInputStreamOperatorFactory<Reference, T>, CoordinatedOperatorFactory<T> {
    private static final long serialVersionUID = 1L;

    private final ShufflePlan plan;
    private final TypeSerializer<T> serializer;

    /** Runs when Flink generates the graph of the job. Tasks have none. */
    private transient @Nullable Runnable whenGenerated;

    /** A factory for one shuffle. */
    public DebatcherFactory(ShufflePlan plan, TypeSerializer<T> serializer) {
        this.plan = plan;
        this.serializer = serializer;
        chainingStrategy = ChainingStrategy.ALWAYS;
    }

    /**
     * Sets what to do when Flink generates the graph of the job: after all operators are known, and
     * before it reads the settings of those that follow.
     */
    public void whenGenerated(Runnable action) {
        whenGenerated = action;
    }

    /** Flink asks this when it generates the graph. */
    @Override
    public boolean isOutputTypeConfigurable() {
        Runnable action = whenGenerated;
        if (action != null) {
            action.run();
        }
        return false;
    }

    @Override
    @SuppressWarnings("unchecked") // The caller names the only class that there is.
    public <O extends StreamOperator<T>> O createStreamOperator(StreamOperatorParameters<T> parameters) {
        return (O) new DebatcherOperator<>(parameters, plan, serializer.duplicate());
    }

    @Override
    public OperatorCoordinator.Provider getCoordinatorProvider(String operatorName, OperatorID operator) {
        return new CoordinatorProvider(plan, operator);
    }

    @Override
    @SuppressWarnings("rawtypes") // As Flink declares it.
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
        return DebatcherOperator.class;
    }
}
