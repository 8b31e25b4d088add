package dev.blobshuffle.flink.internal.debatch;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.instance.SharedInstances.Share;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.debatch.GroupQueue.Item;
import dev.blobshuffle.flink.internal.instance.TaskInstances;
import dev.blobshuffle.flink.internal.mark.HeldMarks;
import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.pending.PendingGroupSerializer;
import dev.blobshuffle.flink.internal.pending.SavepointCopy;
import dev.blobshuffle.flink.internal.pending.Stop;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.retain.CheckpointNeed;
import dev.blobshuffle.flink.internal.settings.FlinkSettings;
import dev.blobshuffle.flink.internal.zone.Place;
import dev.blobshuffle.flink.internal.zone.SubtaskPlace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
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
 * The read side of a shuffle: takes references, fetches their segments ahead, and hands the records
 * out in the order of each key group. Its state is what it has not handed out: a checkpoint holds
 * references and never waits for a read, a savepoint holds their records and needs no blob. Owned
 * by the task's thread; other threads only send it mails.
 */
final class DebatcherOperator<T> extends AbstractStreamOperator<T>
        implements OneInputStreamOperator<Reference, T>, BoundedOneInput {
    private static final long serialVersionUID = 1L;

    /** Between two mails with records, barriers and timers have their turn. */
    private static final int RECORDS_PER_MAIL = 512;

    /** After so many bytes of a key group, another one has its turn. */
    private static final long BYTES_PER_TURN = 1 << 20;

    private final ShufflePlan plan;
    private final TypeSerializer<T> serializer;
    private final MailboxExecutor mailbox;
    private final long maxPendingBytes;
    private final HeldMarks marks;
    private final @Nullable GroupQueue[] groups;
    private final Debatcher.Sink<Item> sink = new HandOut();
    private final AtomicBoolean isMailed = new AtomicBoolean();
    private final DataInputDeserializer serialized = new DataInputDeserializer();
    private final StreamRecord<@Nullable T> emitted = new StreamRecord<>(null);
    private final Stop stop = new Stop();
    private final List<PendingGroup> restored = new ArrayList<>();

    private final OperatorEventGateway coordinator;

    private @Nullable ListState<PendingGroup> state;
    /** What kind of checkpoint is being taken. */
    private @Nullable CheckpointOptions snapshot;

    private @Nullable Share<ShuffleInstance> share;
    private @Nullable Debatcher<Item> debatcher;
    private int pendingReferences;
    private volatile long pendingBytes;
    private boolean isHandingOut;

    /** Whether a mail came while records were handed out. */
    private boolean isMailOwed;

    private boolean isClosed;

    DebatcherOperator(StreamOperatorParameters<T> parameters, ShufflePlan plan, TypeSerializer<T> serializer) {
        super(parameters);
        this.plan = plan;
        this.serializer = serializer;
        mailbox = parameters.getMailboxExecutor();
        maxPendingBytes = FlinkSettings.parse(plan.settings())
                .value(FlinkSettings.PENDING_MAX_BYTES)
                .bytes();
        coordinator = parameters
                .getOperatorEventDispatcher()
                .getOperatorEventGateway(parameters.getStreamConfig().getOperatorID());
        marks = new HeldMarks(plan.maxParallelism());
        groups = new GroupQueue[plan.maxParallelism()];
    }

    /** Each subtask gets the groups of all, and keeps its own. */
    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        ListState<PendingGroup> pending = context.getOperatorStateStore()
                .getUnionListState(new ListStateDescriptor<>("references", PendingGroupSerializer.INSTANCE));
        state = pending;
        if (context.isRestored()) {
            KeyGroupRange own = KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                    plan.maxParallelism(),
                    getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks(),
                    getRuntimeContext().getTaskInfo().getIndexOfThisSubtask());
            for (PendingGroup group : pending.get()) {
                if (own.contains(group.group())) {
                    restored.add(group);
                }
            }
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
        debatcher = opened.instance()
                .engine()
                .debatcher(plan.name() + "/" + getRuntimeContext().getTaskInfo().getTaskNameWithSubtasks(), this::mail);
        getMetricGroup().addGroup("blobshuffle").gauge("pendingBytes", () -> pendingBytes);
        for (PendingGroup group : restored) {
            int first = group.firstRecord();
            for (Reference reference : group.references()) {
                offer(reference, first);
                first = 0;
            }
        }
        restored.clear();
        mail();
    }

    private Debatcher<Item> debatcher() {
        Debatcher<Item> present = debatcher;
        if (present == null) {
            throw new IllegalStateException("Cannot use the Debatcher of " + plan.name() + ": it is not open.");
        }
        return present;
    }

    @Override
    public void processElement(StreamRecord<Reference> element) throws Exception {
        Reference reference = element.getValue();
        if (reference.isRecord() && group(reference.group()).isEmpty()) {
            handOut(reference);
            return;
        }
        offer(reference, 0); // Before any mail runs: a checkpoint may be among them.
        debatcher().prefetch();
        while (pendingBytes > maxPendingBytes) {
            progress();
        }
        mailIfReady();
    }

    /** Hands out a record at once, because none of its group waits. */
    private void handOut(Reference reference) {
        byte[] bytes = reference.bytes();
        T value = value(bytes, 0, bytes.length);
        isHandingOut = true;
        try {
            emit(value, reference.timestamp());
        } finally {
            isHandingOut = false;
        }
        if (isMailOwed) {
            isMailOwed = false;
            mail();
        }
    }

    private void offer(Reference reference, int firstRecord) {
        GroupQueue group = group(reference.group());
        pendingReferences++;
        if (reference.isRecord()) {
            Item item = new Item(group, reference, reference.bytes().length, Item.NO_BLOB);
            debatcher().offer(group.partition(), group.add(item, 0), item.bytes(), item);
            marks.added(group.number(), 1);
            pendingBytes += item.bytes();
        } else {
            Notification notification = NotificationCodec.decode(reference.bytes());
            Item item = new Item(
                    group,
                    reference,
                    notification.segmentLength(),
                    notification.blob().generation());
            debatcher().offer(group.partition(), group.add(item, firstRecord), notification, firstRecord, item);
            marks.added(group.number(), notification.records() - firstRecord);
            pendingBytes += item.bytes();
        }
    }

    private GroupQueue group(int number) {
        GroupQueue present = groups[number];
        if (present == null) {
            present = new GroupQueue(plan.partition(number));
            groups[number] = present;
        }
        return present;
    }

    /** Lets the task's thread look for records to hand out. On any thread. */
    private void mail() {
        if (isMailed.compareAndSet(false, true)) {
            try {
                mailbox.execute(this::mailed, "Hand out records");
            } catch (RejectedExecutionException e) {
                LOG.trace("The task ends.", e);
            }
        }
    }

    private void mailed() {
        isMailed.set(false);
        isMailOwed = isHandingOut; // An operator behind this one runs mails: the outer call goes on.
        if (!isClosed && !isHandingOut) {
            debatcher().prefetch();
            boolean ignored = handOut();
            mailIfReady();
        }
    }

    private void mailIfReady() {
        if (!stop.isStopping() && debatcher().isReady()) {
            mail();
        }
    }

    /** Hands out records, or waits for a mail that may make some ready. */
    private void progress() throws InterruptedException {
        if (!handOut()) {
            mailbox.yield();
        }
    }

    /** Hands out some records that are ready. Returns whether there were any. */
    private boolean handOut() {
        if (stop.isStopping() || !debatcher().isReady()) {
            return false;
        }
        isHandingOut = true;
        try {
            int records = debatcher().drain(RECORDS_PER_MAIL, BYTES_PER_TURN, sink);
            marks.release(output);
            return records > 0;
        } finally {
            isHandingOut = false;
        }
    }

    private void emit(GroupQueue group, T value, long timestamp) {
        emit(value, timestamp);
        marks.done(group.number(), 1);
    }

    private void emit(T value, long timestamp) {
        emitted.replace(value);
        if (timestamp == Reference.NO_TIMESTAMP) {
            emitted.eraseTimestamp();
        } else {
            emitted.setTimestamp(timestamp);
        }
        output.collect(emitted);
    }

    private T value(byte[] array, int offset, int length) {
        try {
            serialized.setBuffer(array, offset, length);
            return serializer.deserialize(serialized);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot deserialize a record of shuffle " + plan.name() + ": " + e.getMessage()
                            + ". Check whether the type of the records, or its serializer, has changed since the"
                            + " checkpoint.",
                    e);
        }
    }

    private void left(Item item) {
        pendingReferences--;
        pendingBytes -= item.bytes();
    }

    /** Receives the records from the engine. */
    private final class HandOut implements Debatcher.Sink<Item> {
        @Override
        public void record(Partition partition, long offset, int index, int count, RecordView view, Item carrier) {
            T value = value(view.array(), view.valueOffset(), view.valueLength());
            long timestamp = view.timestamp();
            if (carrier.group().handsOut(index, count)) {
                left(carrier);
            }
            emit(carrier.group(), value, timestamp);
        }

        @Override
        public void record(
                Partition partition,
                long offset,
                int index,
                int count,
                long timestamp,
                byte @Nullable [] key,
                byte @Nullable [] value,
                Headers headers,
                Item carrier) {
            throw new IllegalStateException("Cannot receive a copy: records are taken where they lie.");
        }

        @Override
        public void plain(Partition partition, long offset, Item plain) {
            byte[] bytes = plain.reference().bytes();
            T value = value(bytes, 0, bytes.length);
            if (plain.group().handsOut(0, 1)) {
                left(plain);
            }
            emit(plain.group(), value, plain.reference().timestamp());
        }
    }

    @Override
    public void processWatermark(Watermark mark) {
        marks.add(mark);
        marks.release(output);
    }

    @Override
    public void processWatermark(WatermarkEvent mark) {
        marks.add(mark);
        marks.release(output);
    }

    @Override
    public void processWatermarkStatus(WatermarkStatus mark) {
        marks.add(mark);
        marks.release(output);
    }

    @Override
    public void processLatencyMarker(LatencyMarker mark) {
        marks.add(mark);
        marks.release(output);
    }

    @Override
    public void processRecordAttributes(RecordAttributes mark) {
        marks.add(mark);
        marks.release(output);
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
        List<PendingGroup> pending = new ArrayList<>();
        long oldest = Math.floorDiv(context.getCheckpointTimestamp(), BlobId.MILLIS_PER_GENERATION);
        for (GroupQueue group : groups) {
            if (group != null && !group.isEmpty()) {
                pending.add(group.pending());
                oldest = Math.min(oldest, group.oldestGeneration());
            }
        }
        CheckpointOptions kind = snapshot;
        ListState<PendingGroup> present = state;
        if (kind == null || present == null) {
            throw new IllegalStateException("Cannot snapshot the Debatcher of " + plan.name() + ": it is not open.");
        }
        stop.taken(context.getCheckpointId(), kind.getCheckpointType());
        if (kind.getCheckpointType().isSavepoint()) {
            present.update(SavepointCopy.of(pending, plan, engine()));
        } else {
            present.update(pending);
            // Flink's own state has what an unaligned barrier has overtaken, of any age.
            long needed = kind.isUnalignedCheckpoint() ? CheckpointNeed.EVERYTHING : oldest;
            coordinator.sendEventToCoordinator(new CheckpointNeed(context.getCheckpointId(), needed));
        }
    }

    @Override
    public void notifyCheckpointAborted(long checkpoint) throws Exception {
        super.notifyCheckpointAborted(checkpoint);
        if (stop.aborted(checkpoint)) {
            mail();
        }
    }

    private Engine engine() {
        Share<ShuffleInstance> present = share;
        if (present == null) {
            throw new IllegalStateException("Cannot use the Debatcher of " + plan.name() + ": it is not open.");
        }
        return present.instance().engine();
    }

    @Override
    public void endInput() throws Exception {
        drain();
    }

    @Override
    public void finish() throws Exception {
        drain();
        super.finish();
    }

    private void drain() throws InterruptedException {
        while (pendingReferences > 0) {
            progress();
        }
        marks.release(output);
    }

    @Override
    public void close() throws Exception {
        isClosed = true;
        Debatcher<Item> openDebatcher = debatcher;
        Share<ShuffleInstance> openShare = share;
        try {
            if (openDebatcher != null) {
                openDebatcher.close();
            }
        } finally {
            if (openShare != null) {
                openShare.close();
            }
            super.close();
        }
    }
}
