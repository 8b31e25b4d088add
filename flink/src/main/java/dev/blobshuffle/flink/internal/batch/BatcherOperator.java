package dev.blobshuffle.flink.internal.batch;

import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.settings.FlinkSettings;
import dev.blobshuffle.flink.internal.task.ShuffleOperator;
import dev.blobshuffle.flink.internal.task.TaskSide;
import dev.blobshuffle.flink.internal.zone.NearSubtasks;
import dev.blobshuffle.flink.internal.zone.Place;
import java.util.Optional;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * The operator around the {@link WriteSide} of a shuffle: its state, metrics and engine. Which key
 * groups are near is asked before the first record. Owned by the task's thread.
 */
final class BatcherOperator<T, K> extends ShuffleOperator<T, Reference> {
    private static final long serialVersionUID = 1L;

    private final WriteSide<T, K> side;
    private @Nullable ListState<UnsentState> state;

    /** The options of the checkpoint that is being taken. */
    private @Nullable CheckpointOptions snapshot;

    BatcherOperator(
            StreamOperatorParameters<Reference> parameters,
            ShufflePlan plan,
            KeySelector<T, K> selector,
            TypeSerializer<T> serializer) {
        super(parameters, plan);
        side = new WriteSide<>(plan, selector, serializer, task(parameters));
    }

    @Override
    protected TaskSide side() {
        return side;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        ListState<UnsentState> unsent = context.getOperatorStateStore()
                .getListState(new ListStateDescriptor<>("unsent", UnsentStateSerializer.INSTANCE));
        state = unsent;
        if (context.isRestored()) {
            side.restore(unsent.get());
        }
    }

    @Override
    public void open() throws Exception {
        super.open();
        MetricGroup metrics = getMetricGroup().addGroup("blobshuffle");
        metrics.counter("nativeBytes", side.nativeBytes());
        metrics.counter("blobBytes", side.blobBytes());
        if (FlinkSettings.parse(plan().settings()).value(FlinkSettings.NATIVE_IN_ZONE)) {
            askPlaces();
        }
    }

    private void askPlaces() throws Exception {
        Environment task = getContainingTask().getEnvironment();
        Optional<NearSubtasks> answer = NearSubtasks.ask(
                task.getOperatorCoordinatorEventGateway(), getOperatorID(), Place.of(task, plan().zones()));
        if (answer.isPresent()) {
            side.near(answer.get().groups(plan().maxParallelism()));
        } else {
            LOG.warn(
                    "Cannot find out where the subtasks behind shuffle {} run, so all records go through blobs."
                            + " Check whether all its tasks have started.",
                    plan().name());
        }
    }

    @Override
    public void processElement(StreamRecord<T> element) throws Exception {
        side.process(element);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpoint) {
        side.beforeBarrier();
    }

    @Override
    public OperatorSnapshotFutures snapshotState(
            long checkpoint, long timestamp, CheckpointOptions options, CheckpointStreamFactory streams)
            throws Exception {
        snapshot = options;
        return super.snapshotState(checkpoint, timestamp, options, streams);
    }

    /** The kind of the checkpoint that is being taken. */
    private CheckpointOptions snapshotKind() {
        CheckpointOptions kind = snapshot;
        if (kind == null) {
            throw new IllegalStateException("Cannot snapshot " + plan().name() + ": no checkpoint is being taken.");
        }
        return kind;
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        ListState<UnsentState> present = state;
        if (present == null) {
            throw new IllegalStateException("Cannot snapshot the Batcher of " + plan().name() + ": it is not open.");
        }
        present.clear();
        Optional<UnsentState> unsent = side.snapshot(
                context.getCheckpointId(),
                context.getCheckpointTimestamp(),
                snapshotKind().getCheckpointType());
        if (unsent.isPresent()) {
            present.add(unsent.get());
        }
    }
}
