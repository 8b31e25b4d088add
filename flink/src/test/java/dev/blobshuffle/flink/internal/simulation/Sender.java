package dev.blobshuffle.flink.internal.simulation;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.flink.internal.batch.UnsentState;
import dev.blobshuffle.flink.internal.batch.WriteSide;
import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.simulation.Attempt.TaskManager;
import dev.blobshuffle.flink.internal.simulation.Edge.Barrier;
import dev.blobshuffle.flink.internal.simulation.SourceData.Row;
import dev.blobshuffle.flink.internal.task.TaskContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.util.OutputTag;

/** A source and the Batcher behind it. Guarded by the simulation's baton. */
final class Sender extends SimulatedTask {
    private static final long IDLE_MILLIS = 200;
    private static final OperatorID SOURCE = new OperatorID(1, 1);

    private final WriteSide<String, Integer> side;
    private final Map<Integer, Integer> positions = new TreeMap<>();
    private final List<Edge> edges = new ArrayList<>();
    private List<UnsentState> restored = List.of();
    private long watermark = Long.MIN_VALUE;
    private long stopping = Long.MIN_VALUE;
    private long aborted;
    private boolean isIdle;
    private boolean isDone;
    private boolean hasLeft;

    Sender(Attempt attempt, int index, TaskManager manager) {
        super(attempt, index, manager);
        side = new WriteSide<>(
                attempt.plan(),
                text -> Row.parse(text).key(),
                StringSerializer.INSTANCE,
                new TaskContext<>(mailbox, new Network(), need -> attempt.needs(Attempt.BATCHER, index, need)));
    }

    @Override
    String name() {
        return "sender-" + index;
    }

    /** An edge to each receiver, in their order. */
    void connect(Edge edge) {
        edges.add(edge);
    }

    /** Takes its part of a checkpoint. */
    void restore(Map<Integer, Integer> splits, List<PendingGroup> unsent) {
        positions.putAll(splits);
        restored = List.of(new UnsentState(CompletableFuture.completedFuture(unsent), groups -> groups));
    }

    @Override
    void open() throws Exception {
        side.restore(restored);
        side.open(manager.engine(), name());
        attempt.near(this).ifPresent(side::near);
    }

    /** Sends to the receivers. */
    private final class Network implements Output<StreamRecord<Reference>> {
        @Override
        public void collect(StreamRecord<Reference> record) {
            int group = record.getValue().group();
            int receiver = KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(
                    attempt.plan().maxParallelism(), edges.size(), group);
            edges.get(receiver).send(record.getValue());
        }

        @Override
        public void emitWatermark(Watermark mark) {
            edges.forEach(edge -> edge.send(mark));
        }

        @Override
        public void emitWatermarkStatus(WatermarkStatus status) {
            edges.forEach(edge -> edge.send(status));
        }

        @Override
        public void emitLatencyMarker(LatencyMarker marker) {
            edges.forEach(edge -> edge.send(marker));
        }

        @Override
        public <X> void collect(OutputTag<X> tag, StreamRecord<X> record) {
            throw new IllegalStateException("A shuffle has no side outputs.");
        }

        @Override
        public void emitRecordAttributes(RecordAttributes attributes) {
            throw new IllegalStateException("No sender sends attributes.");
        }

        @Override
        public void emitWatermark(WatermarkEvent mark) {
            throw new IllegalStateException("No sender sends events.");
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    // ---- the source

    private boolean hasMore(int split) {
        return positions.getOrDefault(split, 0) < attempt.data().records(split);
    }

    private long next(int split) {
        return attempt.data().timestamp(split, positions.getOrDefault(split, 0));
    }

    /** The time of the first record that is left; the highest if there is none. */
    private long next() {
        return positions.keySet().stream()
                .filter(this::hasMore)
                .mapToLong(this::next)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private long now() {
        return attempt.time().elapsed().toMillis();
    }

    /** Ends, if all that it sent is received. It takes no part in later checkpoints. */
    boolean leaves() {
        hasLeft |= isDone && edges.stream().allMatch(Edge::isEmpty);
        return hasLeft;
    }

    boolean hasLeft() {
        return hasLeft;
    }

    /** The next record of each of its splits. */
    Map<Integer, Integer> positions() {
        return positions;
    }

    /** Whether all records of its splits are read. */
    boolean isRead() {
        return next() == Long.MAX_VALUE;
    }

    @Override
    boolean step() throws Exception {
        if (isDone || stopping != Long.MIN_VALUE) {
            return false;
        }
        if (isRead()) {
            return finish();
        }
        if (next() > now()) {
            return rest();
        }
        if (isIdle) {
            status(WatermarkStatus.ACTIVE);
        }
        List<Integer> ready = positions.keySet().stream()
                .filter(split -> hasMore(split) && next(split) <= now())
                .toList();
        int split = ready.get(attempt.time().random(ready.size()));
        int number = positions.getOrDefault(split, 0);
        positions.put(split, number + 1);
        side.process(new StreamRecord<>(
                attempt.data().record(split, number), attempt.data().timestamp(split, number)));
        if (attempt.time().random(3) == 0) {
            boolean ignored = watermark(isRead() ? attempt.resting().end(index) : next() - 1);
        }
        return true;
    }

    /** Nothing to send now. Returns whether a mark was sent. */
    private boolean rest() {
        boolean hasMark = watermark(next() - 1);
        return restIfLong() || hasMark;
    }

    private boolean restIfLong() {
        boolean rests = !isIdle
                && !attempt.endsEarly()
                && next() - now() > IDLE_MILLIS
                && attempt.resting().mayRest(next());
        if (rests) {
            attempt.ledger().fault(FlinkFault.IDLE);
            attempt.resting().rests(index, next());
            status(WatermarkStatus.IDLE);
        }
        return rests;
    }

    private boolean finish() {
        if (!attempt.mayEnd()) {
            long end = attempt.resting().end(index);
            return end == Long.MIN_VALUE ? restIfLong() : watermark(end);
        }
        if (isIdle) {
            status(WatermarkStatus.ACTIVE);
        }
        attempt.resting().emitted(Long.MAX_VALUE);
        side.marks().add(Watermark.MAX_WATERMARK);
        side.release();
        side.drain(); // endInput
        side.drain(); // finish
        edges.forEach(edge -> edge.send(Edge.End.OF_INPUT));
        isDone = true;
        return true;
    }

    private void status(WatermarkStatus status) {
        isIdle = status.isIdle();
        side.marks().add(status);
        side.release();
    }

    /** Sends a watermark, or as much of it as makes no record of another sender late. */
    private boolean watermark(long own) {
        long mark = Math.min(own, attempt.resting().most(index));
        if (isIdle || mark <= watermark) {
            return false;
        }
        watermark = mark;
        attempt.resting().emitted(mark);
        side.marks().add(new Watermark(mark));
        if (attempt.time().random(4) == 0) {
            side.marks().add(new LatencyMarker(own, SOURCE, index));
        }
        side.release();
        return true;
    }

    @Override
    Duration untilStep() {
        long wait = isDone || isRead() || stopping != Long.MIN_VALUE ? 1_000 : next() - now();
        return Duration.ofMillis(Math.max(1, Math.min(wait, 60_000)));
    }

    // ---- checkpoints

    void trigger(Barrier barrier) {
        if (barrier.checkpoint() <= aborted) {
            return;
        }
        side.beforeBarrier();
        edges.forEach(edge -> edge.sendBarrier(barrier));
        if (barrier.options().isUnalignedCheckpoint()) {
            attempt.announce(barrier);
        }
        if (barrier.options().getCheckpointType().isSavepoint() && isSynchronous(barrier)) {
            stopping = barrier.checkpoint();
        }
        Map<Integer, Integer> taken = new TreeMap<>(positions);
        Optional<UnsentState> unsent = side.snapshot(
                barrier.checkpoint(), barrier.timestamp(), barrier.options().getCheckpointType());
        if (unsent.isPresent()) {
            actor("checkpoint-" + barrier.checkpoint(), () -> write(barrier, taken, unsent.get()));
        } else {
            acknowledge(barrier, taken, List.of());
        }
    }

    static boolean isSynchronous(Barrier barrier) {
        return barrier.options().getCheckpointType() instanceof SavepointType savepoint && savepoint.isSynchronous();
    }

    /** The asynchronous part: waits until the state is known. */
    private void write(Barrier barrier, Map<Integer, Integer> taken, UnsentState unsent) throws Exception {
        Signal known = manager.process().signal();
        CompletableFuture<Void> ignoredFuture = unsent.groups().handle((groups, failure) -> {
            known.raise();
            return null;
        });
        while (!unsent.groups().isDone()) {
            long seen = known.count();
            if (!unsent.groups().isDone()) {
                boolean ignored = known.await(
                        seen, manager.process().nanos() + Duration.ofHours(1).toNanos());
            }
        }
        try {
            acknowledge(barrier, taken, unsent.await());
        } catch (ExecutionException e) {
            attempt.declined(barrier.checkpoint(), e.getCause());
        }
    }

    private void acknowledge(Barrier barrier, Map<Integer, Integer> taken, List<PendingGroup> unsent) {
        attempt.acknowledge(barrier.checkpoint(), checkpoint -> {
            checkpoint.positions.putAll(taken);
            checkpoint.unsent.put(index, unsent);
            checkpoint.acknowledgedBySender(index);
        });
    }

    @Override
    void aborted(long checkpoint) {
        aborted = Math.max(aborted, checkpoint);
        if (stopping == checkpoint) {
            stopping = Long.MIN_VALUE;
        }
        side.aborted(checkpoint);
    }

    @Override
    void close() {
        mailbox.close();
        side.close();
    }
}
