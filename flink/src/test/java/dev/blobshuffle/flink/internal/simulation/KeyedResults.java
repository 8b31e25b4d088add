package dev.blobshuffle.flink.internal.simulation;

import dev.blobshuffle.flink.internal.simulation.SourceData.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * The keyed operator behind a Debatcher: it keeps every record, and checks each one when it comes.
 * Guarded by the simulation's baton.
 */
final class KeyedResults implements Output<StreamRecord<String>> {
    private final Attempt attempt;
    private final SimulatedMailbox mailbox;
    private final KeyGroupRange own;
    private final Map<Integer, Group> groups = new TreeMap<>();

    /** The newest latency marker of each sender: the watermark of that sender at that time. */
    private final Map<Integer, Long> markers = new HashMap<>();

    private long watermark = Long.MIN_VALUE;
    private boolean isStopped;

    /** The record before, which the operator may have kept. */
    private @Nullable StreamRecord<String> kept;

    /** Records that came behind the savepoint with which the job is to stop. */
    private final List<Row> behind = new ArrayList<>();

    /** The state of a key group. */
    static final class Group {
        private final Set<Long> seen = new HashSet<>();
        private final Map<String, Integer> last = new HashMap<>();
        private long watermark = Long.MIN_VALUE;

        Group copy() {
            Group copy = new Group();
            copy.seen.addAll(seen);
            copy.last.putAll(last);
            copy.watermark = watermark;
            return copy;
        }

        Set<Long> seen() {
            return seen;
        }
    }

    KeyedResults(Attempt attempt, SimulatedMailbox mailbox, KeyGroupRange own, Map<Integer, Group> restored) {
        this.attempt = attempt;
        this.mailbox = mailbox;
        this.own = own;
        restored.forEach((group, state) -> {
            if (own.contains(group)) {
                groups.put(group, state.copy());
            }
        });
    }

    /** The state of all its key groups. */
    Map<Integer, Group> snapshot() {
        Map<Integer, Group> copy = new TreeMap<>();
        groups.forEach((group, state) -> copy.put(group, state.copy()));
        for (int group : own) {
            Group state = copy.computeIfAbsent(group, absent -> new Group());
            state.watermark = Math.max(state.watermark, watermark);
        }
        return copy;
    }

    /** The savepoint is taken with which the job is to stop, or is given up. */
    void stopped(boolean stopped) {
        isStopped = stopped;
        behind.clear();
    }

    /** Nothing has come behind the savepoint with which the job stops. */
    void requireNothingBehind() {
        behind.forEach(row -> broken(row + " came behind the savepoint with which the job stops"));
    }

    @Override
    public void collect(StreamRecord<String> record) {
        Row row = Row.parse(record.getValue());
        if (record == kept) {
            broken(row + " came in the object of the record before it");
        }
        kept = record;
        int number = KeyGroupRangeAssignment.assignToKeyGroup(
                row.key(), attempt.plan().maxParallelism());
        if (!own.contains(number)) {
            broken(row + " came to a subtask that does not have group " + number);
            return;
        }
        Group group = groups.computeIfAbsent(number, absent -> new Group());
        check(row, group, record.getTimestamp());
        // A real operator, too, has the record in its state before it lets mails run.
        letMailsRun();
    }

    private void check(Row row, Group group, long timestamp) {
        if (isStopped) {
            behind.add(row);
        }
        if (timestamp != attempt.data().timestamp(row.split(), row.number())) {
            broken(row + " has timestamp " + timestamp);
        }
        if (!group.seen.add(row.id())) {
            broken(row + " came twice");
        }
        List<Integer> cuts = attempt.cuts(row.split());
        long epoch = cuts.stream().filter(cut -> cut <= row.number()).count();
        Integer before = group.last.put(row.split() + "/" + row.key() + "/" + epoch, row.number());
        if (before != null && before >= row.number()) {
            broken(row + " came behind record " + before);
        }
        if (timestamp <= Math.max(watermark, group.watermark)) {
            broken(row + " of time " + timestamp + " came behind watermark " + Math.max(watermark, group.watermark));
        }
        long marker = markers.getOrDefault(attempt.owner(row.split()), Long.MIN_VALUE);
        if (timestamp <= marker && epoch == cuts.size()) {
            broken(row + " of time " + timestamp + " came behind the latency marker " + marker);
        }
    }

    private void broken(String what) {
        attempt.ledger().violation("record " + what);
    }

    /** Sometimes it is slow, and sometimes it yields, as operators with asynchronous calls do. */
    private void letMailsRun() {
        int kind = attempt.time().random(attempt.schedule().slowOneIn());
        if (kind == 0) {
            attempt.time()
                    .pause(Duration.ofMillis(
                            attempt.time().random(attempt.schedule().slowMillis())));
        }
        if (kind < 2) {
            boolean ignored = mailbox.tryYield();
        }
    }

    @Override
    public void emitWatermark(Watermark mark) {
        if (mark.getTimestamp() <= watermark) {
            broken("watermark " + mark + " came behind " + watermark);
        }
        watermark = mark.getTimestamp();
        letMailsRun();
    }

    @Override
    public void emitLatencyMarker(LatencyMarker marker) {
        markers.merge(marker.getSubtaskIndex(), marker.getMarkedTime(), Math::max);
    }

    @Override
    public void emitWatermarkStatus(WatermarkStatus status) {
        letMailsRun();
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
