package dev.blobshuffle.flink.internal.debatch;

import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.pending.PendingGroupSerializer;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.task.ShuffleOperator;
import dev.blobshuffle.flink.internal.task.TaskSide;
import dev.blobshuffle.flink.internal.zone.Place;
import dev.blobshuffle.flink.internal.zone.SubtaskPlace;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * The operator around the {@link ReadSide} of a shuffle: its state, metrics and engine. Owned by
 * the task's thread.
 */
final class DebatcherOperator<T> extends ShuffleOperator<Reference, T> {
    private static final long serialVersionUID = 1L;

    private final ReadSide<T> side;
    private @Nullable ListState<PendingGroup> state;

    DebatcherOperator(StreamOperatorParameters<T> parameters, ShufflePlan plan, TypeSerializer<T> serializer) {
        super(parameters, plan);
        side = new ReadSide<>(plan, serializer, task(parameters));
    }

    @Override
    protected TaskSide side() {
        return side;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        ListState<PendingGroup> pending = context.getOperatorStateStore()
                .getUnionListState(new ListStateDescriptor<>("references", PendingGroupSerializer.INSTANCE));
        state = pending;
        if (context.isRestored()) {
            TaskInfo task = getRuntimeContext().getTaskInfo();
            side.restore(pending.get(), task.getNumberOfParallelSubtasks(), task.getIndexOfThisSubtask());
        }
    }

    @Override
    public void open() throws Exception {
        coordinator()
                .sendEventToCoordinator(
                        new SubtaskPlace(Place.of(getContainingTask().getEnvironment(), plan().zones())));
        getMetricGroup().addGroup("blobshuffle").gauge("pendingBytes", side::pendingBytes);
        super.open();
    }

    @Override
    public void processElement(StreamRecord<Reference> element) throws Exception {
        side.process(element.getValue());
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        ListState<PendingGroup> present = state;
        if (present == null) {
            throw new IllegalStateException("Cannot snapshot the Debatcher of " + plan().name() + ": it is not open.");
        }
        present.update(side.snapshot(context.getCheckpointId(), context.getCheckpointTimestamp(), snapshotKind()));
    }
}
