package dev.blobshuffle.flink.internal.mark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.watermark.LongWatermark;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.Test;

class HeldMarksTest {
    private final HeldMarks marks = new HeldMarks(4);
    private final Emitted emitted = new Emitted();

    @Test
    void aMarkWithoutRecordsBeforeItLeavesAtOnce() {
        watermark(5);

        assertThat(emitted.names).containsExactly("5");
    }

    @Test
    void aMarkWaitsForTheRecordsOfEachGroup() {
        marks.added(0, 2);
        marks.added(3, 1);
        watermark(5);
        marks.added(3, 7);
        done(3, 1);
        done(0, 1);
        assertThat(emitted.names).isEmpty();

        done(0, 1);

        assertThat(emitted.names).containsExactly("5");
    }

    @Test
    void recordsAfterAMarkDoNotCountForIt() {
        marks.added(0, 1);
        marks.added(1, 1);
        watermark(5);
        marks.added(1, 1);

        done(1, 2);
        assertThat(emitted.names).isEmpty();
        done(0, 1);

        assertThat(emitted.names).containsExactly("5");
    }

    @Test
    void theLastOfTheWatermarksThatWaitLeaves() {
        marks.added(0, 1);
        watermark(1);
        marks.added(0, 1);
        watermark(2);
        watermark(3);

        done(0, 1);
        assertThat(emitted.names).containsExactly("1");
        done(0, 1);

        assertThat(emitted.names).containsExactly("1", "3");
    }

    /** Timers that fire at the end would never fire. */
    @Test
    void aWatermarkOfBeforeDoesNotReplaceTheLastOfAll() {
        marks.added(0, 1);
        watermark(1);
        marks.added(0, 1);
        watermark(Long.MAX_VALUE);
        watermark(2);

        done(0, 2);

        assertThat(emitted.names).containsExactly("1", String.valueOf(Long.MAX_VALUE));
    }

    @Test
    void activityLeavesBeforeAndIdlenessBehindTheWatermark() {
        marks.added(0, 1);
        marks.add(WatermarkStatus.ACTIVE);
        watermark(1);
        marks.add(WatermarkStatus.IDLE);

        done(0, 1);

        assertThat(emitted.names).containsExactly("active", "1", "idle");
    }

    @Test
    void aLatencyMarkerMeasuresTheWaitOfRecords() {
        marks.added(0, 1);
        marks.add(new LatencyMarker(7, new OperatorID(), 0));
        marks.release(emitted);
        assertThat(emitted.names).isEmpty();

        done(0, 1);

        assertThat(emitted.names).containsExactly("latency 7");
    }

    @Test
    void latencyMarkersOfAShuffleThatStandsStillTakeNoMoreMemory() {
        marks.added(0, 1);
        watermark(1);
        for (int i = 0; i < 10_000; i++) {
            marks.add(new LatencyMarker(i, new OperatorID(), 0));
        }

        done(0, 1);

        assertThat(emitted.names).hasSizeLessThan(100);
    }

    /** None replaces another, so the operator waits for the records before them. */
    @Test
    void eventsOfAShuffleThatStandsStillFillTheMarks() {
        marks.added(0, 1);
        int events = 0;
        while (!marks.isFull() && events < 100_000) {
            marks.add(new WatermarkEvent(new LongWatermark(events, "progress"), false));
            marks.release(emitted);
            events++;
        }
        assertThat(events).isLessThan(10_000);

        done(0, 1);

        assertThat(emitted.names).hasSize(events);
        assertThat(marks.isFull()).isFalse();
    }

    @Test
    void aReleaseWithinAReleaseEmitsNothingTwice() {
        emitted.whenEmitted = () -> marks.release(emitted);
        marks.added(0, 1);
        watermark(1);
        watermark(2);

        done(0, 1);

        assertThat(emitted.names).containsExactly("1", "2");
    }

    private void watermark(long timestamp) {
        marks.add(new Watermark(timestamp));
        marks.release(emitted);
    }

    private void done(int group, long records) {
        marks.done(group, records);
        marks.release(emitted);
    }

    /** Remembers what was emitted. */
    private static final class Emitted implements Output<StreamRecord<String>> {
        private final List<String> names = new ArrayList<>();
        private Runnable whenEmitted = () -> {};

        private void add(String name) {
            names.add(name);
            whenEmitted.run();
        }

        @Override
        public void emitWatermark(Watermark mark) {
            add(String.valueOf(mark.getTimestamp()));
        }

        @Override
        public void emitWatermarkStatus(WatermarkStatus status) {
            add(status.isActive() ? "active" : "idle");
        }

        @Override
        public <X> void collect(OutputTag<X> tag, StreamRecord<X> record) {
            throw new AssertionError("no record");
        }

        @Override
        public void emitLatencyMarker(LatencyMarker marker) {
            add("latency " + marker.getMarkedTime());
        }

        @Override
        public void emitRecordAttributes(RecordAttributes attributes) {
            add("attributes");
        }

        @Override
        public void emitWatermark(WatermarkEvent event) {
            add("event");
        }

        @Override
        public void collect(StreamRecord<String> record) {
            throw new AssertionError("no record");
        }

        @Override
        public void close() {
            // Nothing to close.
        }
    }
}
