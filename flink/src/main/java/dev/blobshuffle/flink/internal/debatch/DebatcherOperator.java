package dev.blobshuffle.flink.internal.debatch;

import dev.blobshuffle.core.internal.instance.SharedInstances.Share;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.instance.TaskInstances;
import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.pending.PendingGroupSerializer;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.task.TaskContext;
import dev.blobshuffle.flink.internal.zone.Place;
import dev.blobshuffle.flink.internal.zone.SubtaskPlace;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.jspecify.annotations.Nullable;

/**
 * The operator around the {@link ReadSide} of a shuffle: its state, metrics and engine. Owned by
 * the task's thread.
 */
final class DebatcherOperator<T> extends AbstractStreamOperator<T>
        implements OneInputStreamOperator<Reference, T>, BoundedOneInput {
    private static final long serialVersionUID = 1L;

    private final ShufflePlan plan;
    private final OperatorEventGateway coordinator;
    private final ReadSide<T> side;
    private @Nullable ListState<PendingGroup> state;

    /** What kind of checkpoint is being taken. */
    private @Nullable CheckpointOptions snapshot;

    private @Nullable Share<ShuffleInstance> share;

    DebatcherOperator(StreamOperatorParameters<T> parameters, ShufflePlan plan, TypeSerializer<T> serializer) {
        super(parameters);
        this.plan = plan;
        coordinator = parameters
                .getOperatorEventDispatcher()
                .getOperatorEventGateway(parameters.getStreamConfig().getOperatorID());
        side = new ReadSide<>(
                plan,
                serializer,
                new TaskContext<>(parameters.getMailboxExecutor(), output, coordinator::sendEventToCoordinator));
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
        super.open();
        coordinator.sendEventToCoordinator(
                new SubtaskPlace(Place.of(getContainingTask().getEnvironment(), plan.zones())));
        Share<ShuffleInstance> opened =
                TaskInstances.acquire(plan, getRuntimeContext().getJobInfo().getJobId());
        share = opened;
        getMetricGroup().addGroup("blobshuffle").gauge("pendingBytes", side::pendingBytes);
        side.open(
                opened.instance().engine(),
                plan.name() + "/" + getRuntimeContext().getTaskInfo().getTaskNameWithSubtasks());
    }

    @Override
    public void processElement(StreamRecord<Reference> element) throws Exception {
        side.process(element.getValue());
    }

    @Override
    public void processWatermark(Watermark mark) {
        side.marks().add(mark);
        side.release();
    }

    @Override
    public void processWatermark(WatermarkEvent mark) {
        side.marks().add(mark);
        side.release();
    }

    @Override
    public void processWatermarkStatus(WatermarkStatus mark) {
        side.marks().add(mark);
        side.release();
    }

    @Override
    public void processLatencyMarker(LatencyMarker mark) {
        side.marks().add(mark);
        side.release();
    }

    @Override
    public void processRecordAttributes(RecordAttributes mark) {
        side.marks().add(mark);
        side.release();
    }

    @Override
    public OperatorSnapshotFutures snapshotState(
            long checkpoint, long timestamp, CheckpointOptions options, CheckpointStreamFactory streams)
            throws Exception {
        snapshot = options;
        return super.snapshotState(checkpoint, timestamp, options, streams);
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        CheckpointOptions kind = snapshot;
        ListState<PendingGroup> present = state;
        if (kind == null || present == null) {
            throw new IllegalStateException("Cannot snapshot the Debatcher of " + plan.name() + ": it is not open.");
        }
        present.update(side.snapshot(context.getCheckpointId(), context.getCheckpointTimestamp(), kind));
    }

    @Override
    public void notifyCheckpointAborted(long checkpoint) throws Exception {
        super.notifyCheckpointAborted(checkpoint);
        side.aborted(checkpoint);
    }

    @Override
    public void endInput() throws Exception {
        side.drain();
    }

    @Override
    public void finish() throws Exception {
        side.drain();
        super.finish();
    }

    @Override
    public void close() throws Exception {
        Share<ShuffleInstance> open = share;
        try {
            side.close();
        } finally {
            if (open != null) {
                open.close();
            }
            super.close();
        }
    }
}
