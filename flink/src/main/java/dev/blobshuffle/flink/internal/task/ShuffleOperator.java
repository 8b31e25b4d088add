package dev.blobshuffle.flink.internal.task;

import dev.blobshuffle.core.internal.instance.SharedInstances.Share;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.instance.TaskInstances;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.jspecify.annotations.Nullable;

/**
 * An operator around one side of a shuffle: its engine, the marks between records, and the end.
 * Owned by the task's thread.
 *
 * @param <I> the type of incoming records
 * @param <O> the type of outgoing records
 */
public abstract class ShuffleOperator<I, O> extends AbstractStreamOperator<O>
        implements OneInputStreamOperator<I, O>, BoundedOneInput {
    private static final long serialVersionUID = 1L;

    private final ShufflePlan plan;
    private final OperatorEventGateway coordinator;

    private @Nullable Share<ShuffleInstance> share;

    /**
     * An operator of a shuffle.
     *
     * @param parameters from Flink
     */
    protected ShuffleOperator(StreamOperatorParameters<O> parameters, ShufflePlan plan) {
        super(parameters);
        this.plan = plan;
        coordinator = parameters
                .getOperatorEventDispatcher()
                .getOperatorEventGateway(parameters.getStreamConfig().getOperatorID());
    }

    /** The side that this operator runs. */
    protected abstract TaskSide side();

    /** The shuffle. */
    protected final ShufflePlan plan() {
        return plan;
    }

    /** Sends events to the coordinator of this operator. */
    protected final OperatorEventGateway coordinator() {
        return coordinator;
    }

    /** The parts of this operator's task that a side uses. */
    protected final TaskContext<O> task(StreamOperatorParameters<O> parameters) {
        return new TaskContext<>(parameters.getMailboxExecutor(), output, coordinator::sendEventToCoordinator);
    }

    @Override
    public void open() throws Exception {
        super.open();
        Share<ShuffleInstance> opened =
                TaskInstances.acquire(plan, getRuntimeContext().getJobInfo().getJobId());
        share = opened;
        side().open(
                        opened.instance().engine(),
                        getOperatorName() + "/"
                                + getRuntimeContext().getTaskInfo().getTaskNameWithSubtasks());
    }

    @Override
    public void processWatermark(Watermark mark) {
        side().marks().add(mark);
        side().release();
    }

    @Override
    public void processWatermark(WatermarkEvent mark) throws Exception {
        side().marks().add(mark);
        if (side().marks().isFull()) {
            side().drain();
        }
        side().release();
    }

    @Override
    public void processWatermarkStatus(WatermarkStatus mark) {
        side().marks().add(mark);
        side().release();
    }

    @Override
    public void processLatencyMarker(LatencyMarker mark) {
        side().marks().add(mark);
        side().release();
    }

    @Override
    public void processRecordAttributes(RecordAttributes mark) {
        side().marks().add(mark);
        side().release();
    }

    @Override
    public void notifyCheckpointAborted(long checkpoint) throws Exception {
        super.notifyCheckpointAborted(checkpoint);
        side().aborted(checkpoint);
    }

    @Override
    public void endInput() throws Exception {
        side().drain();
    }

    @Override
    public void finish() throws Exception {
        side().drain();
        super.finish();
    }

    @Override
    public void close() throws Exception {
        Share<ShuffleInstance> open = share;
        try {
            side().close();
        } finally {
            if (open != null) {
                open.close();
            }
            super.close();
        }
    }
}
