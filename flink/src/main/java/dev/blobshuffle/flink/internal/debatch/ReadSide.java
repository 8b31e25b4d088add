package dev.blobshuffle.flink.internal.debatch;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.debatch.GroupQueue.Item;
import dev.blobshuffle.flink.internal.mark.HeldMarks;
import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.pending.SavepointCopy;
import dev.blobshuffle.flink.internal.pending.Stop;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.retain.CheckpointNeed;
import dev.blobshuffle.flink.internal.settings.FlinkSettings;
import dev.blobshuffle.flink.internal.task.TaskContext;
import dev.blobshuffle.flink.internal.task.TaskSide;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The read side of a shuffle: takes references, fetches their segments ahead, and hands the records
 * out in the order of each key group. Its state is what it has not handed out: a checkpoint holds
 * references and never waits for a read, a savepoint holds their records and needs no blob.
 *
 * <p>It needs no operator of Flink: a mailbox drives it. Owned by the task's thread; other threads
 * only send it mails.
 */
public final class ReadSide<T> implements TaskSide {
    private static final Logger LOG = LoggerFactory.getLogger(ReadSide.class);

    /** Between two mails with records, barriers and timers have their turn. */
    private static final int RECORDS_PER_MAIL = 512;

    /** After so many bytes of a key group, another one has its turn. */
    private static final long BYTES_PER_TURN = 1 << 20;

    private final ShufflePlan plan;
    private final TypeSerializer<T> serializer;
    private final TaskContext<T> task;
    private final int recordsPerMail;
    private final long maxPendingBytes;
    private final HeldMarks marks;
    private final @Nullable GroupQueue[] groups;
    private final Debatcher.Sink<Item> sink = new HandOut();
    private final AtomicBoolean isMailed = new AtomicBoolean();
    private final DataInputDeserializer serialized = new DataInputDeserializer();
    private final Stop stop = new Stop();
    private final List<PendingGroup> restored = new ArrayList<>();
    private RestoredFrom origin = RestoredFrom.NOTHING;
    private @Nullable Engine engine;
    private @Nullable Debatcher<Item> debatcher;
    private int pendingReferences;
    private volatile long pendingBytes;
    private boolean isHandingOut;

    /** Whether a mail came while records were handed out. */
    private boolean isMailOwed;

    private boolean isClosed;

    /** The read side of one subtask. */
    ReadSide(ShufflePlan plan, TypeSerializer<T> serializer, TaskContext<T> task) {
        this(plan, serializer, task, RECORDS_PER_MAIL);
    }

    /**
     * The same with another number of records per mail.
     *
     * @param recordsPerMail the most records that one mail hands out
     */
    public ReadSide(ShufflePlan plan, TypeSerializer<T> serializer, TaskContext<T> task, int recordsPerMail) {
        this.recordsPerMail = recordsPerMail;
        this.plan = plan;
        this.serializer = serializer;
        this.task = task;
        maxPendingBytes = FlinkSettings.parse(plan.settings())
                .value(FlinkSettings.PENDING_MAX_BYTES)
                .bytes();
        marks = new HeldMarks(plan.maxParallelism());
        groups = new GroupQueue[plan.maxParallelism()];
    }

    /**
     * Takes the state of a checkpoint. Each subtask gets the groups of all, and keeps its own.
     * Called before {@link #open}.
     */
    public void restore(Iterable<PendingGroup> all, int parallelism, int subtask) {
        KeyGroupRange own = KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                plan.maxParallelism(), parallelism, subtask);
        for (PendingGroup group : all) {
            if (own.contains(group.group())) {
                restored.add(group);
            }
        }
    }

    /** Names the checkpoint of the state in messages. */
    void restoredFrom(RestoredFrom checkpoint) {
        origin = checkpoint;
    }

    @Override
    public void open(Engine opened, String name) {
        engine = opened;
        debatcher = opened.debatcher(name, this::mail);
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

    /**
     * Takes a reference. Lets mails run while too much is announced.
     *
     * @throws dev.blobshuffle.core.failure.BlobShuffleException fatal: a segment cannot be read
     */
    public void process(Reference reference) throws InterruptedException {
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
                task.mailbox().execute(this::mailed, "Hand out records");
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
            task.mailbox().yield();
        }
    }

    /** Hands out some records that are ready. Returns whether there were any. */
    private boolean handOut() {
        if (stop.isStopping() || !debatcher().isReady()) {
            return false;
        }
        isHandingOut = true;
        try {
            int records = debatcher().drain(recordsPerMail, BYTES_PER_TURN, sink);
            release();
            return records > 0;
        } catch (BlobMissingException e) {
            throw origin.explain(e);
        } finally {
            isHandingOut = false;
        }
    }

    private void emit(GroupQueue group, T value, long timestamp) {
        emit(value, timestamp);
        marks.done(group.number(), 1);
    }

    /**
     * Emits the record that was deserialized last. Each one is a new object, as at Flink's own
     * exchange: with object reuse, operators with asynchronous state keep it after they return.
     */
    private void emit(T value, long timestamp) {
        boolean hasTimestamp = serialized.available() == 0; // See Reference.WITHOUT_TIMESTAMP.
        task.output().collect(hasTimestamp ? new StreamRecord<>(value, timestamp) : new StreamRecord<>(value));
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
    public HeldMarks marks() {
        return marks;
    }

    @Override
    public void release() {
        marks.release(task.output());
    }

    /**
     * The state at a barrier. For a savepoint it waits for reads.
     *
     * @param timestamp of the checkpoint, milliseconds since the Unix epoch
     */
    public List<PendingGroup> snapshot(long checkpoint, long timestamp, CheckpointOptions options)
            throws InterruptedException {
        List<PendingGroup> pending = new ArrayList<>();
        long oldest = Math.floorDiv(timestamp, BlobId.MILLIS_PER_GENERATION);
        for (GroupQueue group : groups) {
            if (group != null && !group.isEmpty()) {
                pending.add(group.pending());
                oldest = Math.min(oldest, group.oldestGeneration());
            }
        }
        stop.taken(checkpoint, options.getCheckpointType());
        if (options.getCheckpointType().isSavepoint()) {
            return copied(pending);
        }
        // Flink's own state has what an unaligned barrier has overtaken, of any age.
        long needed = options.isUnalignedCheckpoint() ? CheckpointNeed.EVERYTHING : oldest;
        task.needs().accept(new CheckpointNeed(checkpoint, needed));
        return pending;
    }

    private List<PendingGroup> copied(List<PendingGroup> pending) throws InterruptedException {
        try {
            return SavepointCopy.of(pending, plan, engine());
        } catch (BlobMissingException e) {
            throw origin.explain(e);
        }
    }

    @Override
    public void aborted(long checkpoint) {
        if (stop.aborted(checkpoint)) {
            mail();
        }
    }

    private Engine engine() {
        Engine present = engine;
        if (present == null) {
            throw new IllegalStateException("Cannot use the Debatcher of " + plan.name() + ": it is not open.");
        }
        return present;
    }

    /** Hands out all records. Lets mails run meanwhile. */
    @Override
    public void drain() throws InterruptedException {
        while (pendingReferences > 0) {
            progress();
        }
        release();
    }

    /** Bytes that are announced and not handed out. For any thread. */
    public long pendingBytes() {
        return pendingBytes;
    }

    @Override
    public void close() {
        isClosed = true;
        Debatcher<Item> open = debatcher;
        if (open != null) {
            open.close();
        }
    }
}
