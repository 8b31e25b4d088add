package dev.blobshuffle.core.internal.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.read.SegmentFixture.Row;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Requests of Debatchers that are many sections behind, whose records arrive faster than they are
 * drained.
 */
class LaggingReadsTest {
    private static final int PARTITIONS = 32;
    private static final int SECTIONS = 64;
    private static final int ROWS = 4;
    private static final int SECTION_BYTES = PARTITIONS * ROWS * (2 << 10);
    private static final int RECORDS = SECTIONS * PARTITIONS * ROWS;

    /** The records of five segments. */
    private static final int POLL = 5 * ROWS;

    private final SteppedTime time = new SteppedTime();
    private final List<Debatcher<String>> groups = new ArrayList<>();
    private DebatcherFixture fixture = new DebatcherFixture(1, time);

    @AfterEach
    void everyByteCameBack() {
        groups.forEach(Debatcher::close);
        fixture.close();
        time.close();
    }

    /** Opens Debatchers with a budget of so many sections, and queues all sections for each. */
    private void behind(int debatchers, int budgetSections) {
        fixture.close();
        fixture = new DebatcherFixture((long) budgetSections * SECTION_BYTES, time);
        for (int i = 1; i < debatchers; i++) {
            groups.add(fixture.engine.debatcher("group-" + i));
        }
        offerAll(0);
    }

    /** Queues sections for each Debatcher. */
    private void offerAll(int firstOffset) {
        for (int offset = firstOffset; offset < firstOffset + SECTIONS; offset++) {
            List<Notification> section = section(offset);
            for (int partition = 0; partition < PARTITIONS; partition++) {
                Partition of = new Partition("t", partition);
                fixture.debatcher.offer(of, offset, section.get(partition), 0, "c");
                for (Debatcher<String> each : groups) {
                    each.offer(of, offset, section.get(partition), 0, "c");
                }
            }
        }
    }

    private List<Notification> section(int offset) {
        return fixture.blobs.blob(
                64 << 10,
                IntStream.range(0, PARTITIONS)
                        .mapToObj(partition -> Collections.nCopies(ROWS, new Row(offset, null, new byte[2 << 10])))
                        .toList());
    }

    private static RecordedSink drain(Debatcher<String> from, int records) {
        RecordedSink sink = new RecordedSink();
        assertThat(from.drain(records, 1 << 20, sink)).isEqualTo(records);
        return sink;
    }

    @Test
    void oneDebatcherReadsASectionOnce() {
        behind(1, 8);
        int records = 0;
        while (records < RECORDS) {
            records += fixture.debatcher.drain(POLL, 1 << 20, new RecordedSink());
        }
        assertThat(fixture.store.reads()).hasSize(SECTIONS);
    }

    @Test
    void partitionsReturnASegmentEachInTurn() {
        behind(1, 8);
        fixture.debatcher.prefetch();
        RecordedSink first = drain(fixture.debatcher, 3 * ROWS + 1);
        assertThat(segments(first)).containsExactly("0@0", "1@0", "2@0", "3@0");
        // The rest of a segment that the limit cut follows in its partition's next turn.
        RecordedSink rest = drain(fixture.debatcher, PARTITIONS * ROWS);
        assertThat(segments(rest)).startsWith("4@0", "5@0").endsWith("2@1", "3@0", "4@1");
    }

    private static List<String> segments(RecordedSink sink) {
        return sink.positions.stream()
                .map(each -> each.substring(0, each.indexOf(':')))
                .distinct()
                .toList();
    }

    @Test
    void groupsThatTakeLongTurnsReadASectionOnce() {
        behind(2, 8);
        drainInTurns(Duration.ofMillis(400));
        assertThat(fixture.store.reads()).hasSize(SECTIONS);
    }

    @Test
    void threeGroupsReadFewSectionsTwice() {
        behind(3, 16);
        drainInTurns(Duration.ofMillis(200));
        assertThat(fixture.store.reads()).hasSizeLessThan(SECTIONS + SECTIONS / 4);
    }

    /** Each Debatcher in turn drains all that it can, and then works on it. */
    private void drainInTurns(Duration work) {
        List<Debatcher<String>> all = new ArrayList<>(groups);
        all.add(fixture.debatcher);
        for (int records = 0; records < RECORDS * all.size(); ) {
            for (Debatcher<String> each : all) {
                for (int more = 1; more > 0; records += more) {
                    more = each.drain(POLL, 1 << 20, new RecordedSink());
                }
                time.advance(work.dividedBy(all.size()));
            }
        }
    }

    @Test
    void groupThatStopsDelaysTheOtherOnce() {
        behind(2, 8);
        long start = time.nanos();
        int records = 0;
        while (records < RECORDS) {
            int more = fixture.debatcher.drain(POLL, 1 << 20, new RecordedSink());
            records += more;
            if (more == 0 && !fixture.debatcher.isReady()) {
                assertThat(fixture.debatcher.isFetching())
                        .as("waits for the other")
                        .isTrue();
                time.advance(Duration.ofMillis(10));
            }
        }
        assertThat(fixture.store.reads()).hasSize(SECTIONS);
        assertThat(Duration.ofNanos(time.nanos() - start)).isBetween(Duration.ofMillis(500), Duration.ofMillis(510));
    }

    @Test
    void groupsThatGoOnStillShareWhenOneStops() {
        behind(3, 16);
        Debatcher<String> stopped = groups.remove(0);
        drainInTurns(Duration.ofMillis(400));
        assertThat(fixture.store.reads()).hasSize(SECTIONS);
        stopped.close();
    }

    @Test
    void groupThatWasLeftBehindIsAwaitedAgainLater() {
        groupThatStopsDelaysTheOtherOnce();
        Debatcher<String> slow = groups.get(0);
        for (int records = 0; records < RECORDS; ) {
            records += slow.drain(POLL, 1 << 20, new RecordedSink());
        }
        time.advance(Duration.ofMinutes(1));
        int before = fixture.store.reads().size();
        offerAll(SECTIONS);
        drainInTurns(Duration.ofMillis(400));
        assertThat(fixture.store.reads()).hasSize(before + SECTIONS);
    }

    @Test
    void groupThatCatchesUpIsAwaitedAgainAtOnce() {
        groupThatStopsDelaysTheOtherOnce();
        Debatcher<String> slow = groups.get(0);
        for (int records = 0; records < RECORDS; ) {
            records += slow.drain(POLL, 1 << 20, new RecordedSink());
        }
        int before = fixture.store.reads().size();
        fixture.store.hold();
        offerAll(SECTIONS);
        fixture.debatcher.prefetch();
        slow.prefetch(); // It joins what the other one is loading.
        fixture.store.release();
        drainInTurns(Duration.ofMillis(400));
        assertThat(fixture.store.reads()).hasSize(before + SECTIONS);
    }
}
