package dev.blobshuffle.core.internal.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.read.SegmentFixture.Row;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two Debatchers of an instance, such as members of two consumer groups, and their requests. */
class SharedReadsTest {
    private static final int PARTITIONS = 4;
    private static final int ROW = 100 << 10;
    private static final int SINGLES = 16;

    private final SteppedTime time = new SteppedTime();
    private DebatcherFixture fixture = new DebatcherFixture(64 << 20, time);
    private Debatcher<String> other = fixture.engine.debatcher("other");

    @AfterEach
    void everyByteCameBack() {
        other.close();
        fixture.close();
        assertThat(time.pending()).as("timers left").isZero();
        time.close();
    }

    private void withBudget(long budget) {
        other.close();
        fixture.close();
        fixture = new DebatcherFixture(budget, time);
        other = fixture.engine.debatcher("other");
    }

    /** A blob with one section: a segment of one large record for each partition. */
    private List<Notification> section() {
        return section(ROW);
    }

    private List<Notification> section(int rowBytes) {
        return fixture.blobs.blob(
                64 << 10,
                IntStream.range(0, PARTITIONS)
                        .mapToObj(i -> List.of(new Row(i, null, large("p" + i + ";", rowBytes))))
                        .toList());
    }

    private static byte[] large(String text, int bytes) {
        byte[] value = Arrays.copyOf(text.getBytes(), bytes);
        Arrays.fill(value, text.length(), bytes, (byte) '.');
        return value;
    }

    private static void offer(Debatcher<String> to, long offset, List<Notification> section, int... partitions) {
        for (int each : partitions) {
            to.offer(new Partition("t", each), offset, section.get(each), 0, "c");
        }
    }

    private int requests() {
        return fixture.store.reads().size();
    }

    /** The records that one drain returns, as the numbers of their partitions. */
    private static List<Integer> drain(Debatcher<String> from) {
        RecordedSink sink = new RecordedSink();
        int ignored = from.drain(1000, Long.MAX_VALUE, sink);
        List<Integer> partitions = new ArrayList<>();
        for (int i = 0; i < sink.values.size(); i++) {
            int partition = Integer.parseInt(sink.positions.get(i).split("@")[0]);
            assertThat(sink.values.get(i)).startsWith("p" + partition + ";");
            partitions.add(partition);
        }
        partitions.sort(null);
        return partitions;
    }

    @Test
    void groupsShareOneRequestForASection() {
        List<Notification> section = section();
        offer(fixture.debatcher, 0, section, 0, 1, 2, 3);
        offer(other, 0, section, 0, 1, 2, 3);
        fixture.store.hold();
        fixture.debatcher.prefetch();
        other.prefetch();
        fixture.store.release();

        assertThat(drain(fixture.debatcher)).containsExactly(0, 1, 2, 3);
        assertThat(drain(other)).containsExactly(0, 1, 2, 3);
        assertThat(requests()).isEqualTo(1);
    }

    @Test
    void groupThatPollsAfterTheOtherHasReadNeedsNoRequest() {
        List<Notification> section = section();
        offer(fixture.debatcher, 0, section, 0, 1, 2, 3);
        fixture.debatcher.prefetch();
        assertThat(drain(fixture.debatcher)).hasSize(PARTITIONS);
        time.advance(Duration.ofMillis(1900));

        offer(other, 0, section, 0, 1, 2, 3);
        other.prefetch();
        assertThat(drain(other)).containsExactly(0, 1, 2, 3);
        assertThat(requests()).isEqualTo(1);
    }

    @Test
    void bytesThatNothingWantsAreReleasedAfterTwoSeconds() {
        offer(fixture.debatcher, 0, section(), 0, 1);
        fixture.debatcher.prefetch();
        assertThat(drain(fixture.debatcher)).hasSize(2);
        assertThat(fixture.store.openBytes()).isPositive();

        time.advance(Duration.ofSeconds(4));
        assertThat(fixture.store.openBytes()).isZero();
        assertThat(fixture.engine.budget().used()).isZero();
    }

    @Test
    void requestIncludesTheNeighboursThatAnotherDebatcherWants() {
        List<Notification> section = section();
        offer(fixture.debatcher, 0, section, 1);
        offer(other, 0, section, 0, 2);
        fixture.debatcher.prefetch();
        other.prefetch();

        assertThat(drain(fixture.debatcher)).containsExactly(1);
        assertThat(drain(other)).containsExactly(0, 2);
        assertThat(requests()).isEqualTo(1);
    }

    @Test
    void farPartOfASectionIsNotReadWithoutAReader() {
        List<Notification> section = section(2 * ROW);
        offer(fixture.debatcher, 0, section, 0);
        offer(other, 0, section, 3);
        fixture.debatcher.prefetch();
        assertThat(fixture.store.reads().get(0).length())
                .isEqualTo(section.get(0).segmentLength());
        other.prefetch();
        assertThat(drain(fixture.debatcher)).containsExactly(0);
        assertThat(drain(other)).containsExactly(3);
    }

    /** A budget of four sections, and a reader that takes record by record. */
    @Test
    void smallBudgetReadsEachSectionOnceForASingleReader() {
        withBudget(18L * ROW);
        other.close();
        for (int i = 0; i < 10; i++) {
            offer(fixture.debatcher, i, section(), 0, 1, 2, 3);
        }
        fixture.debatcher.prefetch();
        int records = 0;
        while (records < 10 * PARTITIONS) {
            records += fixture.debatcher.drain(1, 1, new RecordedSink());
        }
        assertThat(requests()).isEqualTo(10);
    }

    private Notification single(int partition) {
        return fixture.blobs.segment(partition, 64 << 10, List.of(new Row(0, null, large("p" + partition + ";", ROW))));
    }

    @Test
    void sectionThatNeedsMuchRoomIsReadBeforeSmallerOnesThatCameLater() {
        withBudget(18L * ROW);
        other.close();
        offerSingles(0);
        fixture.debatcher.prefetch();
        offer(fixture.debatcher, 0, section(), 0, 1, 2, 3);
        for (int i = 1; i < 4; i++) {
            offerSingles(i);
        }

        RecordedSink sink = new RecordedSink();
        while (sink.values.size() < 2 * SINGLES) {
            fixture.debatcher.drain(1, 1, sink);
        }
        assertThat(sink.values).anyMatch(value -> value.startsWith("p0;"));
    }

    /** Offers a segment that is its own section to each of some other partitions. */
    private void offerSingles(int offset) {
        for (int partition = 10; partition < 10 + SINGLES; partition++) {
            fixture.debatcher.offer(new Partition("t", partition), offset, single(partition), 0, "c");
        }
    }

    @Test
    void segmentToReadAfreshDoesNotWaitForOthersToPause() {
        other.close();
        for (int i = 0; i < 4; i++) {
            offerSingles(i);
        }
        fixture.debatcher.prefetch();
        fixture.store.falsify(bytes -> Arrays.copyOf(bytes, bytes.length - 1));
        offer(fixture.debatcher, 0, section(), 0);
        fixture.debatcher.prefetch();

        RecordedSink sink = new RecordedSink();
        while (sink.values.size() < 2 * SINGLES) {
            fixture.debatcher.drain(1, 1, sink);
        }
        assertThat(sink.values).anyMatch(value -> value.startsWith("p0;"));
    }

    @Test
    void readerThatLagsLosesItsBytesToAReaderThatDoesNotAndReadsAgain() {
        withBudget(18L * ROW);
        List<List<Notification>> sections = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            sections.add(section());
            offer(fixture.debatcher, i, sections.get(i), 0, 1, 2, 3);
            offer(other, i, sections.get(i), 0, 1, 2, 3);
        }
        fixture.debatcher.prefetch();
        int first = 0;
        while (first < 10 * PARTITIONS) {
            first += drain(fixture.debatcher).size();
            time.advance(Duration.ofMillis(10)); // It waits for the other one, but only for a moment.
        }
        int requests = requests();
        assertThat(requests).isLessThanOrEqualTo(12);

        other.prefetch();
        int second = 0;
        while (second < 10 * PARTITIONS) {
            second += drain(other).size();
        }
        assertThat(requests() - requests).isPositive().isLessThanOrEqualTo(12);
    }

    @Test
    void readerThatStopsDoesNotTakeTheBytesOfTheOther() {
        List<Notification> section = section();
        offer(fixture.debatcher, 0, section, 0, 1);
        offer(other, 0, section, 0, 1);
        fixture.store.hold();
        fixture.debatcher.prefetch();
        other.prefetch();
        fixture.debatcher.drop(new Partition("t", 0));
        fixture.debatcher.drop(new Partition("t", 1));
        fixture.store.release();

        assertThat(drain(other)).containsExactly(0, 1);
        assertThat(requests()).isEqualTo(1);
    }

    @Test
    void downloadThatAllReadersLeaveGivesItsMemoryBack() {
        List<Notification> section = section();
        offer(fixture.debatcher, 0, section, 0);
        offer(other, 0, section, 0);
        fixture.store.hold();
        fixture.debatcher.prefetch();
        other.prefetch();
        fixture.debatcher.drop(new Partition("t", 0));
        other.drop(new Partition("t", 0));
        fixture.store.release();

        fixture.awaitBytes();
        offer(other, 1, section, 0);
        other.prefetch();
        assertThat(drain(other)).containsExactly(0);
    }

    @Test
    void readersOfAFailedDownloadReadAgain() {
        List<Notification> section = section();
        offer(fixture.debatcher, 0, section, 0);
        offer(other, 0, section, 1);
        fixture.store.hold();
        fixture.store.falsify(bytes -> Arrays.copyOf(bytes, bytes.length - 1));
        fixture.debatcher.prefetch();
        other.prefetch();
        fixture.store.release();

        assertThat(drain(fixture.debatcher)).isEmpty();
        assertThat(drain(other)).isEmpty();
        assertThat(drain(fixture.debatcher)).containsExactly(0);
        assertThat(drain(other)).containsExactly(1);
    }

    @Test
    void corruptBytesAreNotGivenToReadersThatComeLater() {
        List<Notification> section = section();
        offer(fixture.debatcher, 0, section, 0, 1);
        offer(other, 0, section, 0, 1);
        fixture.store.falsify(bytes -> {
            bytes[bytes.length - 1] ^= 1; // In the last segment.
            return bytes;
        });
        fixture.debatcher.prefetch();
        List<Integer> records = new ArrayList<>(drain(fixture.debatcher));
        records.addAll(drain(fixture.debatcher));
        assertThat(records).containsExactlyInAnyOrder(0, 1);
        int requests = requests();

        other.prefetch();
        assertThat(drain(other)).containsExactly(0, 1);
        assertThat(requests()).isGreaterThan(requests);
    }

    @Test
    void readerDoesNotWaitForEverForTheDownloadOfAnother() {
        List<Notification> section = section();
        offer(fixture.debatcher, 0, section, 0);
        offer(other, 0, section, 1);
        fixture.store.hold();
        fixture.debatcher.prefetch();
        other.prefetch();
        assertThat(requests()).isEqualTo(1);

        time.advance(Duration.ofMinutes(1));
        other.prefetch();
        fixture.store.releaseLast();
        assertThat(drain(other)).containsExactly(1);
        fixture.store.release();
        assertThat(drain(fixture.debatcher)).containsExactly(0);
    }
}
