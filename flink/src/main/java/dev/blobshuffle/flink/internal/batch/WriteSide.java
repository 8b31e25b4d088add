package dev.blobshuffle.flink.internal.batch;

import dev.blobshuffle.core.failure.RecordTooLargeException;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.mark.HeldMarks;
import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.pending.SavepointCopy;
import dev.blobshuffle.flink.internal.pending.Stop;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.retain.CheckpointNeed;
import dev.blobshuffle.flink.internal.settings.FlinkSettings;
import dev.blobshuffle.flink.internal.task.TaskContext;
import dev.blobshuffle.flink.internal.task.TaskSide;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The write side of a shuffle: puts each record into the lane's output of its key group, and emits
 * a reference to each segment once its blob is durable. A record for a subtask that is near is
 * emitted at once. A record that is too large for a batch is emitted when all before it are.
 *
 * <p>Before a barrier it waits until everything is stored, and emits the references; so it has no
 * state. If {@code put.after.barrier} is set, it only ends the batch there. Its state is then the
 * references that come later, and the checkpoint waits for them.
 *
 * <p>It needs no operator of Flink: a mailbox drives it. Owned by the task's thread.
 */
public final class WriteSide<T, K> implements TaskSide {
    private static final Logger LOG = LoggerFactory.getLogger(WriteSide.class);

    /** The time of a flush for all but the upload, which has a deadline of its own. */
    private static final Duration BEYOND_UPLOAD = Duration.ofSeconds(30);

    private static final int FIRST_BUFFER = 1 << 10;

    /** A larger buffer is dropped after its record. */
    private static final int KEPT_BUFFER = 1 << 20;

    private final ShufflePlan plan;
    private final KeySelector<T, K> selector;
    private final TypeSerializer<T> serializer;
    private final TaskContext<Reference> task;
    private final EdgeChannel channel;
    private final Duration flushTimeout;
    private final boolean putsAfterBarrier;
    private final HeldMarks marks;
    private DataOutputSerializer serialized = new DataOutputSerializer(FIRST_BUFFER);
    private final Lane.@Nullable Output[] outputs;
    private boolean[] isNear;
    private final Counter nativeBytes = new SimpleCounter();
    private final Counter blobBytes = new SimpleCounter();
    private final StreamRecord<@Nullable Reference> emitted = new StreamRecord<>(null);
    private final Stop stop = new Stop();
    private final List<Reference> restored = new ArrayList<>();
    private @Nullable Engine engine;
    private @Nullable Lane lane;

    /** The write side of one subtask. */
    public WriteSide(
            ShufflePlan plan, KeySelector<T, K> selector, TypeSerializer<T> serializer, TaskContext<Reference> task) {
        this.plan = plan;
        this.selector = selector;
        this.serializer = serializer;
        this.task = task;
        channel = new EdgeChannel(task.mailbox(), new Edge());
        Settings settings = FlinkSettings.parse(plan.settings());
        flushTimeout = settings.value(WriteSettings.DELIVERY_TIMEOUT).plus(BEYOND_UPLOAD);
        putsAfterBarrier = settings.value(FlinkSettings.PUT_AFTER_BARRIER);
        isNear = new boolean[plan.maxParallelism()];
        marks = new HeldMarks(plan.maxParallelism());
        outputs = new Lane.Output[plan.maxParallelism()];
    }

    /**
     * Takes the state of a checkpoint. A job that was stopped with {@code put.after.barrier} may go
     * on without it, so the state is always read. Called before {@link #open}.
     */
    public void restore(Iterable<UnsentState> states) throws InterruptedException, ExecutionException {
        for (UnsentState each : states) {
            each.await().forEach(group -> restored.addAll(group.references()));
        }
    }

    @Override
    public void open(Engine opened, String name) {
        engine = opened;
        lane = opened.lane(name, channel);
        if (!restored.isEmpty()) {
            task.mailbox().execute(this::emitRestored, "Emit restored references");
        }
    }

    /**
     * Sets which key groups are near: their records are emitted at once. Called before the first
     * record, so the records of a group take one way during an attempt.
     *
     * @param groups one for each key group; owned by this
     */
    public void near(boolean[] groups) {
        isNear = groups;
    }

    /**
     * Emits what the checkpoint held before anything else, but not before the task runs: Flink
     * first restores what was on the edge.
     */
    private void emitRestored() {
        if (!restored.isEmpty()) {
            restored.forEach(reference -> task.output().collect(emitted.replace(reference)));
            restored.clear();
        }
    }

    /** Takes a record. */
    public void process(StreamRecord<T> element) throws Exception {
        emitRestored();
        T value = element.getValue();
        int group = KeyGroupRangeAssignment.assignToKeyGroup(key(value), plan.maxParallelism());
        serialized.clear();
        serializer.serialize(value, serialized);
        if (!element.hasTimestamp()) {
            serialized.writeByte(Reference.WITHOUT_TIMESTAMP);
        }
        if (isNear[group]) {
            emitRecord(group, element.getTimestamp());
        } else {
            append(group, element.getTimestamp());
        }
        if (serialized.length() > KEPT_BUFFER) {
            serialized = new DataOutputSerializer(FIRST_BUFFER);
        }
    }

    private K key(T value) {
        try {
            return selector.getKey(value);
        } catch (Exception e) {
            throw new FlinkRuntimeException(
                    "Cannot extract the key of a record of shuffle " + plan.name() + ": its key selector failed.", e);
        }
    }

    private void emitRecord(int group, long timestamp) {
        nativeBytes.inc(serialized.length());
        task.output().collect(emitted.replace(Reference.ofRecord(group, timestamp, serialized.getCopyOfBuffer())));
    }

    private void append(int group, long timestamp) {
        try {
            output(group).append(timestamp, serialized.getSharedBuffer(), 0, serialized.length());
        } catch (RecordTooLargeException e) {
            LOG.debug("A record of shuffle {} goes through Flink's network.", plan.name(), e);
            drain(); // Records before it keep their place.
            emitRecord(group, timestamp);
            return;
        }
        blobBytes.inc(serialized.length());
        marks.added(group, 1);
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

    /** The lane's channel writes to it. */
    private final class Edge implements EdgeChannel.Edge {
        @Override
        public void emit(Reference reference, int records) {
            task.output().collect(emitted.replace(reference));
            marks.done(reference.group(), records);
        }

        @Override
        public boolean isOpen() {
            return !stop.isStopping();
        }

        @Override
        public void emitted() {
            release();
        }
    }

    @Override
    public HeldMarks marks() {
        emitRestored();
        return marks;
    }

    @Override
    public void release() {
        marks.release(task.output());
    }

    /** Called before the barrier of each checkpoint. */
    public void beforeBarrier() {
        if (putsAfterBarrier) {
            emitRestored();
            lane().seal();
            channel.forward();
        } else {
            drain();
        }
    }

    /**
     * The state at a barrier, if there is any. A savepoint holds records, and needs no blob.
     *
     * @param timestamp of the checkpoint, milliseconds since the Unix epoch
     */
    public Optional<UnsentState> snapshot(long checkpoint, long timestamp, SnapshotType type) {
        if (!putsAfterBarrier) {
            return Optional.empty();
        }
        CompletableFuture<List<PendingGroup>> all = channel.unsent(marks.outstanding());
        if (!type.isSavepoint()) {
            long newest = Math.floorDiv(timestamp, BlobId.MILLIS_PER_GENERATION);
            CompletableFuture<List<PendingGroup>> reported = all.thenApply(groups -> {
                task.needs().accept(new CheckpointNeed(checkpoint, Unsent.oldestGeneration(groups, newest)));
                return groups;
            });
            return Optional.of(new UnsentState(reported, references -> references));
        }
        stop.taken(checkpoint, type);
        return Optional.of(new UnsentState(all, references -> SavepointCopy.of(references, plan, engine())));
    }

    private Engine engine() {
        Engine present = engine;
        if (present == null) {
            throw new IllegalStateException("Cannot use the Batcher of " + plan.name() + ": it is not open.");
        }
        return present;
    }

    @Override
    public void aborted(long checkpoint) {
        if (stop.aborted(checkpoint)) {
            channel.forward();
        }
    }

    /** Waits until all records are stored, and emits their references. */
    @Override
    public void drain() {
        emitRestored();
        lane().flush(flushTimeout);
        channel.forward();
    }

    /** Counts the bytes of records for subtasks that are near. */
    public Counter nativeBytes() {
        return nativeBytes;
    }

    /** Counts the bytes of the other records. */
    public Counter blobBytes() {
        return blobBytes;
    }

    @Override
    public void close() {
        channel.close();
        Lane open = lane;
        if (open != null) {
            open.close();
        }
    }
}
