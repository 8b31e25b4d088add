package dev.blobshuffle.flink.internal.batch;

import dev.blobshuffle.core.internal.instance.SharedInstances.Share;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.instance.TaskInstances;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.settings.FlinkSettings;
import dev.blobshuffle.flink.internal.task.TaskContext;
import dev.blobshuffle.flink.internal.zone.NearSubtasks;
import dev.blobshuffle.flink.internal.zone.Place;
import java.util.Optional;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.execution.Environment;
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
 * The operator around the {@link WriteSide} of a shuffle: its state, metrics and engine. Which key
 * groups are near is asked before the first record. Owned by the task's thread.
 */
final class BatcherOperator<T, K> extends AbstractStreamOperator<Reference>
        implements OneInputStreamOperator<T, Reference>, BoundedOneInput {
    private static final long serialVersionUID = 1L;

    private final ShufflePlan plan;
    private final boolean asksPlaces;
    private final WriteSide<T, K> side;
    private @Nullable ListState<UnsentState> state;

    /** What kind of checkpoint is being taken. */
    private @Nullable CheckpointOptions snapshot;

    private @Nullable Share<ShuffleInstance> share;

    BatcherOperator(
            StreamOperatorParameters<Reference> parameters,
            ShufflePlan plan,
            KeySelector<T, K> selector,
            TypeSerializer<T> serializer) {
        super(parameters);
        this.plan = plan;
        asksPlaces = FlinkSettings.parse(plan.settings()).value(FlinkSettings.NATIVE_IN_ZONE);
        OperatorEventGateway coordinator = parameters
                .getOperatorEventDispatcher()
                .getOperatorEventGateway(parameters.getStreamConfig().getOperatorID());
        side = new WriteSide<>(
                plan,
                selector,
                serializer,
                new TaskContext<>(parameters.getMailboxExecutor(), output, coordinator::sendEventToCoordinator));
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
        Share<ShuffleInstance> opened =
                TaskInstances.acquire(plan, getRuntimeContext().getJobInfo().getJobId());
        share = opened;
        side.open(
                opened.instance().engine(),
                plan.name() + "/" + getRuntimeContext().getTaskInfo().getTaskNameWithSubtasks());
        MetricGroup metrics = getMetricGroup().addGroup("blobshuffle");
        metrics.counter("nativeBytes", side.nativeBytes());
        metrics.counter("blobBytes", side.blobBytes());
        if (asksPlaces) {
            askPlaces();
        }
    }

    private void askPlaces() throws Exception {
        Environment task = getContainingTask().getEnvironment();
        Optional<NearSubtasks> answer = NearSubtasks.ask(
                task.getOperatorCoordinatorEventGateway(), getOperatorID(), Place.of(task, plan.zones()));
        if (answer.isPresent()) {
            side.near(answer.get().groups(plan.maxParallelism()));
        } else {
            LOG.warn(
                    "Cannot find out where the subtasks behind shuffle {} run, so all records go through blobs."
                            + " Check whether all its tasks have started.",
                    plan.name());
        }
    }

    @Override
    public void processElement(StreamRecord<T> element) throws Exception {
        side.process(element);
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

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        CheckpointOptions kind = snapshot;
        ListState<UnsentState> present = state;
        if (kind == null || present == null) {
            throw new IllegalStateException("Cannot snapshot the Batcher of " + plan.name() + ": it is not open.");
        }
        present.clear();
        Optional<UnsentState> unsent =
                side.snapshot(context.getCheckpointId(), context.getCheckpointTimestamp(), kind.getCheckpointType());
        if (unsent.isPresent()) {
            present.add(unsent.get());
        }
    }

    @Override
    public void notifyCheckpointAborted(long checkpoint) throws Exception {
        super.notifyCheckpointAborted(checkpoint);
        side.aborted(checkpoint);
    }

    @Override
    public void endInput() {
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
