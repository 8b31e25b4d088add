package dev.blobshuffle.flink.internal.mark;

import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * Holds what must not overtake records: watermarks, idleness, latency markers and record
 * attributes. Records leave an operator of a shuffle later than they come in, each key group in its
 * own order. A mark leaves when all records that came in before it have left.
 *
 * <p>Counts per key group are enough, since each group keeps its order. One set of marks is held;
 * those that come meanwhile wait in a second set, in which a later watermark replaces the earlier
 * one. So a mark costs one pass over the groups and a record two additions. Owned by the task's
 * thread.
 */
public final class HeldMarks {
    private final long[] added;
    private final long[] done;
    /** How many records of each group go before the held set. */
    private final long[] awaited;

    /** How many records go before the held set, and have not left. */
    private long remaining;

    private boolean isHolding;
    private boolean isReleasing;
    private MarkSet held = new MarkSet();
    private MarkSet waiting = new MarkSet();

    /** Marks beside records of so many key groups. */
    public HeldMarks(int groups) {
        added = new long[groups];
        done = new long[groups];
        awaited = new long[groups];
    }

    /** Records of a group have come in. */
    public void added(int group, long records) {
        added[group] += records;
    }

    /** Records of a group have left. */
    public void done(int group, long records) {
        long left = awaited[group] - done[group];
        if (isHolding && left > 0) {
            remaining -= Math.min(records, left);
        }
        done[group] += records;
    }

    /** How many records of each group have come in and not left. */
    public long[] outstanding() {
        long[] outstanding = added.clone();
        for (int group = 0; group < outstanding.length; group++) {
            outstanding[group] -= done[group];
        }
        return outstanding;
    }

    /** Takes a watermark. Call {@link #release} afterwards, as with all marks. */
    public void add(Watermark watermark) {
        waiting.add(watermark);
    }

    /** Takes a change of activity. */
    public void add(WatermarkStatus status) {
        waiting.add(status);
    }

    /** Takes a latency marker. */
    public void add(LatencyMarker marker) {
        waiting.add(marker);
    }

    /** Takes attributes of the records that follow. */
    public void add(RecordAttributes attributes) {
        waiting.add(attributes);
    }

    /**
     * Takes a watermark of the second version of the DataStream API. If {@link #isFull} then, let
     * all records before it leave.
     */
    public void add(WatermarkEvent event) {
        waiting.add(event);
    }

    /** Whether the marks that wait take much memory. */
    public boolean isFull() {
        return waiting.isFull();
    }

    /**
     * Emits the marks that may leave. An operator behind the output may run mails meanwhile; a call
     * from within one does nothing, and the outer call goes on.
     */
    public void release(Output<?> output) {
        if (isReleasing) {
            return;
        }
        isReleasing = true;
        try {
            while (remaining == 0 && (isHolding || !waiting.isEmpty())) {
                if (isHolding) {
                    held.emit(output);
                    isHolding = false;
                } else {
                    hold();
                }
            }
        } finally {
            isReleasing = false;
        }
    }

    private void hold() {
        MarkSet next = waiting;
        waiting = held;
        held = next;
        isHolding = true;
        for (int group = 0; group < added.length; group++) {
            awaited[group] = added[group];
            remaining += added[group] - done[group];
        }
    }
}
