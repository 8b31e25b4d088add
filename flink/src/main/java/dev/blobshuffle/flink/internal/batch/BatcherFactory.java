package dev.blobshuffle.flink.internal.batch;

import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.retain.BatcherCoordinator;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.jspecify.annotations.Nullable;

/** Makes the Batcher of each subtask. Immutable but for what Flink sets. */
public final class BatcherFactory<T, K> extends AbstractStreamOperatorFactory<Reference>
        implements OneInputStreamOperatorFactory<T, Reference>, CoordinatedOperatorFactory<Reference> {
    private static final long serialVersionUID = 1L;

    private final ShufflePlan plan;
    private final KeySelector<T, K> selector;
    private final TypeSerializer<T> serializer;

    /** Run when Flink generates the graph of the job. Tasks have none. */
    private transient @Nullable List<Runnable> whenGenerated;

    /** A factory for one shuffle. */
    public BatcherFactory(ShufflePlan plan, KeySelector<T, K> selector, TypeSerializer<T> serializer) {
        this.plan = plan;
        this.selector = selector;
        this.serializer = serializer;
        chainingStrategy = ChainingStrategy.ALWAYS;
    }

    /** The shuffle's plan. */
    public ShufflePlan plan() {
        return plan;
    }

    /**
     * Adds what to do when Flink generates the graph of the job: before it reads the parallelism of
     * the Batcher, and the settings of the operators that follow.
     */
    public void whenGenerated(Runnable action) {
        List<Runnable> present = whenGenerated;
        if (present == null) {
            present = new ArrayList<>();
            whenGenerated = present;
        }
        present.add(action);
    }

    /** Flink asks this when it generates the graph. */
    @Override
    public boolean isOutputTypeConfigurable() {
        List<Runnable> actions = whenGenerated;
        if (actions != null) {
            actions.forEach(Runnable::run);
        }
        return false;
    }

    @Override
    @SuppressWarnings("unchecked") // The caller names the only class that there is.
    public <O extends StreamOperator<Reference>> O createStreamOperator(
            StreamOperatorParameters<Reference> parameters) {
        return (O) new BatcherOperator<>(parameters, plan, selector, serializer.duplicate());
    }

    @Override
    public OperatorCoordinator.Provider getCoordinatorProvider(String operatorName, OperatorID operator) {
        return new BatcherCoordinator.Provider(plan, operator);
    }

    @Override
    @SuppressWarnings("rawtypes") // As Flink declares it.
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
        return BatcherOperator.class;
    }
}
