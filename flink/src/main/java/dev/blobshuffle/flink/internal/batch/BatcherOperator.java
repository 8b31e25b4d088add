package dev.blobshuffle.flink.internal.batch;

import dev.blobshuffle.core.internal.instance.SharedInstances.Share;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.instance.TaskInstances;
import dev.blobshuffle.flink.internal.mark.HeldMarks;
import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.pending.SavepointCopy;
import dev.blobshuffle.flink.internal.pending.Stop;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.retain.CheckpointNeed;
import dev.blobshuffle.flink.internal.settings.FlinkSettings;
import dev.blobshuffle.flink.internal.zone.NearSubtasks;
import dev.blobshuffle.flink.internal.zone.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
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
 * The write side of a shuffle: puts each record into the lane's output of its key group, and emits
 * a reference to each segment once its blob is durable. A record for a subtask that is near is
 * emitted at once. Which groups are near is asked before the first record, so the records of a
 * group take one way during an attempt.
 *
 * <p>Before a barrier it waits until everything is stored, and emits the references; so it has no
 * state. If {@code put.after.barrier} is set, it only ends the batch there. Its state is then the
 * references that come later, and the checkpoint waits for them. Owned by the task's thread.
 */
final class BatcherOperator<T, K> extends AbstractStreamOperator<Reference>
        implements OneInputStreamOperator<T, Reference>, BoundedOneInput, EdgeChannel.Edge {
    private static final long serialVersionUID = 1L;

    /** What the upload's own deadline leaves for everything else in a flush. */
    private static final Duration BEYOND_UPLOAD = Duration.ofSeconds(30);

    private static final int FIRST_BUFFER = 1 << 10;

    /** A larger buffer is dropped after its record. */
    private static final int KEPT_BUFFER = 1 << 20;

    private final ShufflePlan plan;
    private final KeySelector<T, K> selector;
    private final TypeSerializer<T> serializer;
    private final MailboxExecutor mailbox;
    private final EdgeChannel channel;
    private final Duration flushTimeout;
    private final HeldMarks marks;
    private DataOutputSerializer serialized = new DataOutputSerializer(FIRST_BUFFER);
    private final Lane.@Nullable Output[] outputs;
    private boolean[] isNear;
    private final boolean asksPlaces;
    private final Counter nativeBytes = new SimpleCounter();
    private final Counter blobBytes = new SimpleCounter();
    private final StreamRecord<@Nullable Reference> emitted = new StreamRecord<>(null);

    private final boolean putsAfterBarrier;
    private final OperatorEventGateway coordinator;
    private final Stop stop = new Stop();
    private final List<Reference> restored = new ArrayList<>();
    private @Nullable ListState<UnsentState> state;

    /** What kind of checkpoint is being taken. */
    private @Nullable CheckpointOptions snapshot;

    private @Nullable Share<ShuffleInstance> share;
    private @Nullable Lane lane;

    BatcherOperator(
            StreamOperatorParameters<Reference> parameters,
            ShufflePlan plan,
            KeySelector<T, K> selector,
            TypeSerializer<T> serializer) {
        super(parameters);
        this.plan = plan;
        this.selector = selector;
        this.serializer = serializer;
        mailbox = parameters.getMailboxExecutor();
        channel = new EdgeChannel(mailbox, this);
        Settings settings = FlinkSettings.parse(plan.settings());
        flushTimeout = settings.value(WriteSettings.DELIVERY_TIMEOUT).plus(BEYOND_UPLOAD);
        asksPlaces = settings.value(FlinkSettings.NATIVE_IN_ZONE);
        putsAfterBarrier = settings.value(FlinkSettings.PUT_AFTER_BARRIER);
        coordinator = parameters
                .getOperatorEventDispatcher()
                .getOperatorEventGateway(parameters.getStreamConfig().getOperatorID());
        isNear = new boolean[plan.maxParallelism()];
        marks = new HeldMarks(plan.maxParallelism());
        outputs = new Lane.Output[plan.maxParallelism()];
    }

    /**
     * A job that was stopped with the setting may go on without it, so the state is always read.
     */
    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        ListState<UnsentState> unsent = context.getOperatorStateStore()
                .getListState(new ListStateDescriptor<>("unsent", UnsentStateSerializer.INSTANCE));
        state = unsent;
        if (context.isRestored()) {
            for (UnsentState each : unsent.get()) {
                each.groups().call().forEach(group -> restored.addAll(group.references()));
            }
        }
    }

    @Override
    public void open() throws Exception {
        super.open();
        Share<ShuffleInstance> opened =
                TaskInstances.acquire(plan, getRuntimeContext().getJobInfo().getJobId());
        share = opened;
        lane = opened.instance()
                .engine()
                .lane(plan.name() + "/" + getRuntimeContext().getTaskInfo().getTaskNameWithSubtasks(), channel);
        MetricGroup metrics = getMetricGroup().addGroup("blobshuffle");
        metrics.counter("nativeBytes", nativeBytes);
        metrics.counter("blobBytes", blobBytes);
        if (asksPlaces) {
            askPlaces();
        }
        if (!restored.isEmpty()) {
            mailbox.execute(this::emitRestored, "Emit restored references");
        }
    }

    /**
     * Emits what the checkpoint held before anything else, but not before the task runs: Flink
     * first restores what was on the edge.
     */
    private void emitRestored() {
        if (!restored.isEmpty()) {
            restored.forEach(reference -> output.collect(emitted.replace(reference)));
            restored.clear();
        }
    }

    private void askPlaces() throws Exception {
        Environment task = getContainingTask().getEnvironment();
        Optional<NearSubtasks> answer = NearSubtasks.ask(
                task.getOperatorCoordinatorEventGateway(), getOperatorID(), Place.of(task, plan.zones()));
        if (answer.isPresent()) {
            isNear = answer.get().groups(plan.maxParallelism());
        } else {
            LOG.warn(
                    "Cannot find out where the subtasks behind shuffle {} run, so all records go through blobs."
                            + " Check whether all its tasks have started.",
                    plan.name());
        }
    }

    @Override
    public void processElement(StreamRecord<T> element) throws Exception {
        emitRestored();
        T value = element.getValue();
        int group = KeyGroupRangeAssignment.assignToKeyGroup(selector.getKey(value), plan.maxParallelism());
        serialized.clear();
        serializer.serialize(value, serialized);
        long timestamp = element.hasTimestamp() ? element.getTimestamp() : Reference.NO_TIMESTAMP;
        if (isNear[group]) {
            nativeBytes.inc(serialized.length());
            output.collect(emitted.replace(Reference.ofRecord(group, timestamp, serialized.getCopyOfBuffer())));
        } else {
            blobBytes.inc(serialized.length());
            output(group).append(timestamp, serialized.getSharedBuffer(), 0, serialized.length());
            marks.added(group, 1);
        }
        if (serialized.length() > KEPT_BUFFER) {
            serialized = new DataOutputSerializer(FIRST_BUFFER);
        }
    }

    private Lane.Output output(int group) {
        Lane.Output present = outputs[group];
        if (present == null) {
            present = lane().output(plan.partition(group), Zone.SINGLE);
            outputs[group] = present;
        }
        return present;
    }

    private Lane lane() {
        Lane present = lane;
        if (present == null) {
            throw new IllegalStateException("Cannot use the Batcher of " + plan.name() + ": it is not open.");
        }
        return present;
    }

    @Override
    public void emit(Reference reference, int records) {
        output.collect(emitted.replace(reference));
        marks.done(reference.group(), records);
    }

    @Override
    public boolean isOpen() {
        return !stop.isStopping();
    }

    @Override
    public void emitted() {
        marks.release(output);
    }

    @Override
    public void processWatermark(Watermark mark) {
        emitRestored();
        marks.add(mark);
        marks.release(output);
    }

    @Override
    public void processWatermark(WatermarkEvent mark) {
        emitRestored();
        marks.add(mark);
        marks.release(output);
    }

    @Override
    public void processWatermarkStatus(WatermarkStatus mark) {
        emitRestored();
        marks.add(mark);
        marks.release(output);
    }

    @Override
    public void processLatencyMarker(LatencyMarker mark) {
        emitRestored();
        marks.add(mark);
        marks.release(output);
    }

    @Override
    public void processRecordAttributes(RecordAttributes mark) {
        emitRestored();
        marks.add(mark);
        marks.release(output);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpoint) {
        if (putsAfterBarrier) {
            emitRestored();
            lane().seal();
            channel.forward();
        } else {
            drain();
        }
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
        if (putsAfterBarrier) {
            present.add(unsent(kind.getCheckpointType(), context));
        }
    }

    /** What a checkpoint holds, when it is known. A savepoint holds records, and needs no blob. */
    private UnsentState unsent(SnapshotType type, StateSnapshotContext context) {
        CompletableFuture<List<PendingGroup>> all = channel.unsent(marks.outstanding());
        if (!type.isSavepoint()) {
            long newest = Math.floorDiv(context.getCheckpointTimestamp(), BlobId.MILLIS_PER_GENERATION);
            long checkpoint = context.getCheckpointId();
            CompletableFuture<List<PendingGroup>> reported = all.thenApply(groups -> {
                coordinator.sendEventToCoordinator(
                        new CheckpointNeed(checkpoint, Unsent.oldestGeneration(groups, newest)));
                return groups;
            });
            return new UnsentState(reported::get);
        }
        stop.taken(context.getCheckpointId(), type);
        Engine engine = share().instance().engine();
        return new UnsentState(() -> SavepointCopy.of(all.get(), plan, engine));
    }

    private Share<ShuffleInstance> share() {
        Share<ShuffleInstance> present = share;
        if (present == null) {
            throw new IllegalStateException("Cannot use the Batcher of " + plan.name() + ": it is not open.");
        }
        return present;
    }

    @Override
    public void notifyCheckpointAborted(long checkpoint) throws Exception {
        super.notifyCheckpointAborted(checkpoint);
        if (stop.aborted(checkpoint)) {
            channel.forward();
        }
    }

    @Override
    public void endInput() {
        drain();
    }

    @Override
    public void finish() throws Exception {
        drain();
        super.finish();
    }

    /** Waits until all records are stored, and emits their references. */
    private void drain() {
        emitRestored();
        lane().flush(flushTimeout);
        channel.forward();
    }

    @Override
    public void close() throws Exception {
        channel.close();
        Lane openLane = lane;
        Share<ShuffleInstance> openShare = share;
        try {
            if (openLane != null) {
                openLane.close();
            }
        } finally {
            if (openShare != null) {
                openShare.close();
            }
            super.close();
        }
    }
}
