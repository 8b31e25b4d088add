package dev.blobshuffle.flink.internal.debatch;

import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.task.ShuffleOperator;
import dev.blobshuffle.flink.internal.task.TaskSide;
import dev.blobshuffle.flink.internal.zone.Place;
import dev.blobshuffle.flink.internal.zone.SubtaskPlace;
import java.util.List;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * The operator around the {@link ReadSide} of a shuffle: its state, metrics and engine. Owned by
 * the task's thread.
 */
final class DebatcherOperator<T> extends ShuffleOperator<Reference, T> {
    private static final long serialVersionUID = 1L;

    private final ReadSide<T> side;

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
        if (context.isRestored()) {
            TaskInfo task = getRuntimeContext().getTaskInfo();
            List<PendingGroup> pending = PendingState.read(getContainingTask()
                    .getEnvironment()
                    .getTaskStateManager()
                    .prioritizedOperatorState(getOperatorID()));
            side.restoredFrom(new RestoredFrom(context.getRestoredCheckpointId()));
            side.restore(pending, task.getNumberOfParallelSubtasks(), task.getIndexOfThisSubtask());
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
    public OperatorSnapshotFutures snapshotState(
            long checkpoint, long timestamp, CheckpointOptions options, CheckpointStreamFactory streams)
            throws Exception {
        List<PendingGroup> pending = side.snapshot(checkpoint, timestamp, options);
        TaskInfo task = getRuntimeContext().getTaskInfo();
        KeyGroupRange own = KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                plan().maxParallelism(), task.getNumberOfParallelSubtasks(), task.getIndexOfThisSubtask());
        OperatorSnapshotFutures futures = super.snapshotState(checkpoint, timestamp, options, streams);
        futures.setKeyedStateRawFuture(PendingState.write(pending, own, streams));
        return futures;
    }
}
