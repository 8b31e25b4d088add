package dev.blobshuffle.flink.internal.mark;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.jspecify.annotations.Nullable;

/** Marks that leave together. Owned by the task's thread. */
final class MarkSet {
    /** Where a shuffle stands still, further markers are left out: they only measure. */
    private static final int MOST_LATENCY_MARKERS = 64;

    /** A user may count events, so none replaces another. */
    private static final int MOST_EVENTS = 1000;

    private @Nullable Watermark watermark;
    private @Nullable WatermarkStatus status;
    private @Nullable RecordAttributes attributes;
    private final List<LatencyMarker> latencies = new ArrayList<>();
    private final List<WatermarkEvent> events = new ArrayList<>();

    /** Whether the input was active at some time, whatever it is at the end. */
    private boolean wasActive;

    /**
     * Keeps the latest. At its end a source may send one of before after the last of all, which
     * Flink ignores where the next task receives it.
     */
    void add(Watermark mark) {
        Watermark last = watermark;
        if (last == null || mark.getTimestamp() > last.getTimestamp()) {
            watermark = mark;
        }
    }

    void add(WatermarkStatus mark) {
        status = mark;
        wasActive |= mark.isActive();
    }

    void add(LatencyMarker mark) {
        if (latencies.size() < MOST_LATENCY_MARKERS) {
            latencies.add(mark);
        }
    }

    void add(RecordAttributes mark) {
        attributes = mark;
    }

    void add(WatermarkEvent mark) {
        events.add(mark);
    }

    boolean isEmpty() {
        return watermark == null && status == null && attributes == null && latencies.isEmpty() && events.isEmpty();
    }

    /** Whether it holds so many events that no more should come before these have left. */
    boolean isFull() {
        return events.size() >= MOST_EVENTS;
    }

    /**
     * Emits all, and becomes empty. A watermark of an idle input has no effect, so activity goes
     * before it, and idleness behind it.
     */
    void emit(Output<?> output) {
        Watermark lastWatermark = watermark;
        WatermarkStatus lastStatus = status;
        RecordAttributes lastAttributes = attributes;
        boolean activates = wasActive;
        watermark = null;
        status = null;
        attributes = null;
        wasActive = false;
        if (activates) {
            output.emitWatermarkStatus(WatermarkStatus.ACTIVE);
        }
        if (lastAttributes != null) {
            output.emitRecordAttributes(lastAttributes);
        }
        events.forEach(output::emitWatermark);
        events.clear();
        if (lastWatermark != null) {
            output.emitWatermark(lastWatermark);
        }
        latencies.forEach(output::emitLatencyMarker);
        latencies.clear();
        if (lastStatus != null && lastStatus.isIdle()) {
            output.emitWatermarkStatus(lastStatus);
        }
    }
}
