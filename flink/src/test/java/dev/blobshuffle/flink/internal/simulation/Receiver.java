package dev.blobshuffle.flink.internal.simulation;

import dev.blobshuffle.flink.internal.debatch.ReadSide;
import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.simulation.Attempt.TaskManager;
import dev.blobshuffle.flink.internal.simulation.Edge.Barrier;
import dev.blobshuffle.flink.internal.task.TaskContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.StatusWatermarkValve;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/** A Debatcher and the keyed operator behind it. Guarded by the simulation's baton. */
final class Receiver extends SimulatedTask {
    private static final Duration FAR_BEHIND = Duration.ofSeconds(2);

    private final ReadSide<String> side;
    private final KeyedResults results;
    private final StatusWatermarkValve valve;
    private final Marks marks = new Marks();
    private final List<Edge> edges = new ArrayList<>();

    /** Edges whose aligned barrier has come. */
    private final Set<Integer> blocked = new HashSet<>();

    private int ended;
    private long aligning;

    /** The newest checkpoint that is taken or given up. */
    private long over;

    private boolean isFinished;

    Receiver(Attempt attempt, int index, TaskManager manager, TakenCheckpoint from) {
        super(attempt, index, manager);
        results = new KeyedResults(
                attempt,
                mailbox,
                KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                        attempt.plan().maxParallelism(), attempt.receivers(), index),
                from.results);
        side = new ReadSide<>(
                attempt.plan(),
                StringSerializer.INSTANCE,
                new TaskContext<>(mailbox, results, need -> attempt.needs(Attempt.DEBATCHER, index, need)),
                attempt.schedule().recordsPerMail());
        side.restore(from.pending, attempt.receivers(), index);
        valve = new StatusWatermarkValve(attempt.senders());
    }

    @Override
    String name() {
        return "receiver-" + index;
    }

    /** An edge from each sender, in their order. */
    void connect(Edge edge) {
        edges.add(edge);
    }

    @Override
    void open() {
        side.open(manager.engine(), name());
    }

    /** What the valve lets pass. */
    private final class Marks implements DataOutput<Object> {
        @Override
        public void emitRecord(StreamRecord<Object> record) {
            throw new IllegalStateException("A valve has no records.");
        }

        @Override
        public void emitWatermark(Watermark mark) {
            side.marks().add(mark);
            side.release();
        }

        @Override
        public void emitWatermarkStatus(WatermarkStatus status) {
            side.marks().add(status);
            side.release();
        }

        @Override
        public void emitLatencyMarker(LatencyMarker marker) {
            side.marks().add(marker);
            side.release();
        }

        @Override
        public void emitRecordAttributes(RecordAttributes attributes) {
            throw new IllegalStateException("No sender sends attributes.");
        }

        @Override
        public void emitWatermark(WatermarkEvent mark) {
            throw new IllegalStateException("No sender sends events.");
        }
    }

    @Override
    boolean step() throws Exception {
        List<Integer> ready = IntStream.range(0, edges.size())
                .filter(edge -> !edges.get(edge).isEmpty() && !blocked.contains(edge))
                .boxed()
                .toList();
        if (ready.isEmpty()) {
            return false;
        }
        int edge = ready.get(attempt.time().random(ready.size()));
        Object element = edges.get(edge).receive();
        if (element instanceof Reference reference) {
            process(reference);
        } else if (element instanceof Watermark mark) {
            attempt.resting().arrived(edge, index, mark.getTimestamp());
            valve.inputWatermark(mark, edge, marks);
        } else if (element instanceof WatermarkStatus status) {
            valve.inputWatermarkStatus(status, edge, marks);
        } else if (element instanceof LatencyMarker marker) {
            marks.emitLatencyMarker(marker);
        } else if (element instanceof Barrier barrier) {
            arrived(edge, barrier);
        } else if (++ended == edges.size()) {
            side.drain(); // endInput
            side.drain(); // finish
            isFinished = true;
        }
        return true;
    }

    /** Memory is bounded: what was restored only shrinks until it is below the setting. */
    private void process(Reference reference) throws InterruptedException {
        long since = attempt.time().elapsed().toMillis();
        long most = Math.max(side.pendingBytes(), attempt.schedule().pendingBytes());
        side.process(reference);
        if (side.pendingBytes() > most) {
            attempt.ledger().violation(name() + " takes more, and " + side.pendingBytes() + " bytes are pending");
        }
        if (attempt.time().elapsed().toMillis() - since > FAR_BEHIND.toMillis()) {
            attempt.ledger().fault(FlinkFault.FAR_BEHIND);
        }
    }

    @Override
    Duration untilStep() {
        return Duration.ofHours(1);
    }

    /** Whether all input is handed out. */
    boolean isFinished() {
        return isFinished;
    }

    KeyedResults results() {
        return results;
    }

    // ---- checkpoints

    private void arrived(int edge, Barrier barrier) throws InterruptedException {
        if (barrier.checkpoint() <= over) {
            return;
        }
        if (barrier.options().isUnalignedCheckpoint()) {
            take(barrier);
            return;
        }
        if (aligning != barrier.checkpoint()) {
            blocked.clear();
            aligning = barrier.checkpoint();
        }
        blocked.add(edge);
        if (IntStream.range(0, edges.size()).allMatch(each -> blocked.contains(each) || attempt.hasLeft(each))) {
            take(barrier);
        }
    }

    /** An unaligned barrier has overtaken what was before it, or an aligned one has timed out. */
    void announced(Barrier barrier) throws InterruptedException {
        if (barrier.checkpoint() > over) {
            take(barrier);
        }
    }

    private void take(Barrier barrier) throws InterruptedException {
        long id = barrier.checkpoint();
        over = id;
        blocked.clear();
        Map<Integer, KeyedResults.Group> taken = results.snapshot();
        results.stopped(Sender.isSynchronous(barrier));
        List<PendingGroup> pending = side.snapshot(id, barrier.timestamp(), barrier.options());
        Map<Integer, List<Object>> overtaken = new TreeMap<>();
        int[] left = {barrier.options().isUnalignedCheckpoint() ? edges.size() : 1};
        Runnable whenComplete = () -> {
            if (--left[0] == 0) {
                attempt.acknowledge(id, checkpoint -> acknowledge(checkpoint, taken, pending, overtaken));
            }
        };
        if (barrier.options().isUnalignedCheckpoint()) {
            for (int edge = 0; edge < edges.size(); edge++) {
                List<Object> elements = overtaken.computeIfAbsent(edge, absent -> Edge.list());
                if (attempt.hasLeft(edge)) {
                    whenComplete.run();
                } else {
                    edges.get(edge).capture(id, elements, whenComplete);
                }
            }
        } else {
            whenComplete.run();
        }
    }

    private void acknowledge(
            TakenCheckpoint checkpoint,
            Map<Integer, KeyedResults.Group> taken,
            List<PendingGroup> pending,
            Map<Integer, List<Object>> overtaken) {
        checkpoint.results.putAll(taken);
        checkpoint.pending.addAll(pending);
        checkpoint.overtaken.put(index, overtaken);
        checkpoint.acknowledgedByReceiver(index);
    }

    @Override
    void aborted(long checkpoint) {
        over = Math.max(over, checkpoint);
        if (aligning == checkpoint) {
            blocked.clear();
        }
        results.stopped(false);
        side.aborted(checkpoint);
    }

    @Override
    void close() {
        mailbox.close();
        side.close();
    }
}
