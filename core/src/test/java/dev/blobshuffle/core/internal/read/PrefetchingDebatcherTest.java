package dev.blobshuffle.core.internal.read;

import static dev.blobshuffle.core.internal.read.DebatcherFixture.P0;
import static dev.blobshuffle.core.internal.read.DebatcherFixture.P1;
import static dev.blobshuffle.core.internal.read.DebatcherFixture.P2;
import static dev.blobshuffle.core.internal.read.SegmentFixture.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.Latency;
import dev.blobshuffle.core.internal.read.SegmentFixture.Row;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Debatcher.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PrefetchingDebatcherTest {
    private static final long MIB = 1 << 20;

    private final DebatcherFixture fixture = new DebatcherFixture(64 * MIB);
    private final Debatcher<String> debatcher = fixture.debatcher;

    @AfterEach
    void everyByteCameBack() {
        fixture.close();
    }

    private void offer(Partition partition, long offset, Notification notification) {
        debatcher.offer(partition, offset, notification, 0, "c" + offset);
    }

    @Test
    void segmentsAndPlainRecordsComeInTheOrderTheyWereOffered() throws InterruptedException {
        Notification first = fixture.blobs.segment(rows("a", 2));
        Notification second = fixture.blobs.segment(rows("b", 2));
        debatcher.offer(P0, 3, 10, "plain-3");
        offer(P0, 4, first);
        debatcher.offer(P0, 6, 10, "plain-6");
        debatcher.offer(P0, 7, 10, "plain-7");
        offer(P0, 9, second);

        assertThat(fixture.drainUntil(7)).containsExactly("plain-3", "a-0", "a-1", "plain-6", "plain-7", "b-0", "b-1");
        assertThat(fixture.sink.positions)
                .containsExactly(
                        "0@3 plain", "0@4:0/2 c4", "0@4:1/2 c4", "0@6 plain", "0@7 plain", "0@9:0/2 c9", "0@9:1/2 c9");
    }

    @Test
    void orderHoldsWhenALaterFetchEndsFirst() {
        offer(P0, 0, fixture.blobs.segment(rows("a", 1)));
        offer(P0, 1, fixture.blobs.segment(rows("b", 1)));
        fixture.store.hold();
        debatcher.prefetch();
        assertThat(fixture.store.heldReads()).isEqualTo(2);

        fixture.store.releaseLast();
        assertThat(debatcher.isReady()).isFalse();
        assertThat(fixture.drain()).isEmpty();
        assertThat(debatcher.isFetching()).isTrue();

        fixture.store.release();
        assertThat(debatcher.isReady()).isTrue();
        assertThat(fixture.drain()).containsExactly("a-0", "b-0");
        assertThat(debatcher.isFetching()).isFalse();
    }

    /** The owner drains only in its callback, and never waits. */
    @Test
    void ownerThatMustNotBlockIsCalledAfterEachArrival() {
        List<String> calls = new ArrayList<>();
        try (Debatcher<String> called = fixture.engine.debatcher("called", () -> calls.add("arrival"))) {
            called.offer(P0, 0, fixture.blobs.segment(rows("a", 1)), 0, "c");
            called.offer(P1, 0, fixture.blobs.segment(1, 64 << 10, rows("b", 1)), 0, "c");
            fixture.store.hold();
            called.prefetch();
            assertThat(calls).isEmpty();
            fixture.store.releaseLast();
            assertThat(calls).hasSize(1);
            assertThat(called.isReady()).isTrue();
            assertThat(called.drain(10, MIB, fixture.sink)).isEqualTo(1);
            assertThat(called.isReady()).isFalse();
            fixture.store.release();
            assertThat(calls).hasSize(2);
            assertThat(called.drain(10, MIB, fixture.sink)).isEqualTo(1);
            assertThat(fixture.sink.values).containsExactlyInAnyOrder("a-0", "b-0");
        }
    }

    @Test
    void aDrainEndsInTheMiddleOfASegmentAndGoesOnThere() {
        offer(P0, 5, fixture.blobs.segment(rows("a", 5)));
        debatcher.prefetch();

        assertThat(debatcher.drain(2, MIB, fixture.sink)).isEqualTo(2);
        assertThat(debatcher.head(P0)).contains(new Position(5, 2));
        assertThat(debatcher.undelivered(P0)).isEqualTo(3);
        assertThat(debatcher.queuedItems(P0)).isEqualTo(1);
        assertThat(debatcher.drain(100, 1, fixture.sink)).isEqualTo(1);
        assertThat(debatcher.drain(100, MIB, fixture.sink)).isEqualTo(2);
        assertThat(fixture.sink.values).containsExactly("a-0", "a-1", "a-2", "a-3", "a-4");
        assertThat(debatcher.head(P0)).isEmpty();
        assertThat(debatcher.undelivered(P0)).isZero();
        assertThat(debatcher.queuedBytes(P0)).isZero();
    }

    @Test
    void aSegmentStartsAtTheGivenRecord() {
        Notification notification =
                fixture.blobs.blob(40, List.of(rows("a", 9))).get(0);
        debatcher.offer(P0, 0, notification, 4, "c");
        debatcher.prefetch();
        assertThat(debatcher.head(P0)).contains(new Position(0, 4));
        assertThat(debatcher.undelivered(P0)).isEqualTo(5);
        assertThat(fixture.drain()).containsExactly("a-4", "a-5", "a-6", "a-7", "a-8");
        assertThat(fixture.sink.positions.get(0)).isEqualTo("0@0:4/9 c");
    }

    @Test
    void aStartAtOrAboveTheCountMeansTheLastRecord() {
        Notification notification = fixture.blobs.segment(rows("a", 3));
        debatcher.offer(P0, 0, notification, 3, "c");
        debatcher.offer(P0, 1, notification, Notification.MAX_RECORDS, "c");
        debatcher.offer(P0, 2, notification, 2, "c");
        debatcher.prefetch();
        assertThat(fixture.drain()).containsExactly("a-2", "a-2", "a-2");
    }

    @Test
    void emptyAndHugeRecordsComeAsTheyWere() throws InterruptedException {
        byte[] huge = new byte[10_000_000];
        Arrays.fill(huge, (byte) 'x');
        List<Row> rows = List.of(
                new Row(1, new byte[0], new byte[0]),
                new Row(2, null, null),
                new Row(3, new byte[8], huge),
                new Row(4, null, new byte[0]));
        offer(P0, 0, fixture.blobs.segment(rows));
        fixture.drainUntil(4);
        assertThat(fixture.sink.sizes).containsExactly("0,0", "-1,-1", "8,10000000", "-1,0");
    }

    @Test
    void aPausedPartitionKeepsItsRecordsUntilItIsResumed() {
        offer(P0, 0, fixture.blobs.segment(rows("a", 1)));
        offer(P1, 0, fixture.blobs.segment(1, 64 << 10, rows("b", 1)));
        debatcher.pause(P0);
        debatcher.prefetch();
        assertThat(fixture.drain()).containsExactly("b-0");
        assertThat(debatcher.isReady()).isFalse();
        assertThat(fixture.drain()).isEmpty();

        debatcher.resume(P0);
        assertThat(debatcher.isReady()).isTrue();
        assertThat(fixture.drain()).containsExactly("a-0");
    }

    @Test
    void partitionsTakeTurns() {
        for (Partition partition : List.of(P0, P1, P2)) {
            int number = partition.number();
            offer(partition, 0, fixture.blobs.segment(number, 64 << 10, rows("p" + number, 4)));
        }
        debatcher.prefetch();
        for (int i = 0; i < 6; i++) {
            debatcher.drain(2, MIB, fixture.sink);
        }
        assertThat(fixture.sink.values.subList(0, 6))
                .containsExactlyInAnyOrder("p0-0", "p0-1", "p1-0", "p1-1", "p2-0", "p2-1");
        assertThat(fixture.sink.values).hasSize(12);
    }

    @Test
    void neighboursInABlobShareOneRead() {
        List<Notification> segments = fixture.blobs.blob(64 << 10, List.of(rows("a", 3), rows("b", 3), rows("c", 3)));
        offer(P0, 0, segments.get(0));
        offer(P1, 0, segments.get(1));
        offer(P2, 0, segments.get(2));
        debatcher.prefetch();
        assertThat(fixture.store.reads()).hasSize(1);
        assertThat(fixture.drain()).hasSize(9);
        assertThat(fixture.store.openBytes()).isZero();
    }

    @Test
    void aSharedReadLivesUntilItsLastUserIsDone() {
        List<Notification> segments = fixture.blobs.blob(64 << 10, List.of(rows("a", 3), rows("b", 3)));
        offer(P0, 0, segments.get(0));
        offer(P1, 0, segments.get(1));
        debatcher.pause(P1);
        debatcher.resume(P1);
        debatcher.prefetch();
        debatcher.drop(P0);
        assertThat(fixture.store.openBytes()).isPositive();
        assertThat(fixture.drain()).containsExactly("b-0", "b-1", "b-2");
        assertThat(fixture.store.openBytes()).isZero();
        assertThat(fixture.engine.budget().used()).isZero();
    }

    @Test
    void consumersOfAnInstanceShareADownload() {
        Notification notification = fixture.blobs.segment(rows("a", 3));
        Debatcher<String> other = new PrefetchingDebatcher<>("other", fixture.engine, () -> {});
        offer(P0, 0, notification);
        other.offer(P0, 0, notification, 0, "other");
        fixture.store.hold();
        debatcher.prefetch();
        other.prefetch();
        assertThat(fixture.store.reads()).hasSize(1);
        fixture.store.release();
        assertThat(fixture.drain()).hasSize(3);
        other.close();
        assertThat(fixture.store.openBytes()).isZero();
    }

    @Test
    void segmentsFarApartAreReadByThemselves() {
        List<Row> large = List.of(new Row(0, null, new byte[400_000]));
        List<Notification> segments = fixture.blobs.blob(64 << 10, List.of(rows("a", 3), large, rows("c", 3)));
        offer(P0, 0, segments.get(0));
        offer(P2, 0, segments.get(2));
        debatcher.prefetch();
        assertThat(fixture.store.reads()).hasSize(2);
        assertThat(fixture.drain()).hasSize(6);
    }

    @Test
    void aDropDuringAFetchIgnoresItsEndAndReturnsItsBytes() {
        offer(P0, 0, fixture.blobs.segment(rows("a", 3)));
        fixture.store.hold();
        debatcher.prefetch();
        assertThat(fixture.engine.budget().used()).isPositive();
        debatcher.drop(P0);
        assertThat(debatcher.isFetching()).isFalse();
        // The read still fills memory, so it counts until it ends.
        assertThat(fixture.engine.budget().used()).isPositive();

        fixture.store.release();
        assertThat(fixture.engine.budget().used()).isZero();
        assertThat(debatcher.isReady()).isFalse();
        assertThat(fixture.drain()).isEmpty();
        assertThat(debatcher.queuedItems(P0)).isZero();
    }

    @Test
    void aDropAfterTheArrivalReturnsItsBytes() {
        offer(P0, 0, fixture.blobs.segment(rows("a", 3)));
        debatcher.prefetch();
        assertThat(fixture.store.openBytes()).isPositive();
        debatcher.drop(P0);
        assertThat(fixture.store.openBytes()).isZero();
        assertThat(fixture.engine.budget().used()).isZero();
    }

    @Test
    void offsetsMayStartAnewAfterADrop() {
        offer(P0, 7, fixture.blobs.segment(rows("a", 1)));
        assertThatThrownBy(() -> debatcher.offer(P0, 7, 1, "x")).isInstanceOf(IllegalArgumentException.class);
        debatcher.drop(P0);
        debatcher.offer(P0, 2, 1, "plain");
        assertThat(fixture.drain()).containsExactly("plain");
    }

    @Test
    void theEndOfAllFetchesFindsAClosedDebatcher() {
        offer(P0, 0, fixture.blobs.segment(rows("a", 3)));
        fixture.store.hold();
        debatcher.prefetch();
        debatcher.close();
        fixture.store.release();
        assertThat(fixture.engine.budget().used()).isZero();
        assertThatThrownBy(() -> debatcher.offer(P0, 1, 1, "x")).isInstanceOf(ClosedException.class);
    }

    @Test
    void anUnavailableStoreIsAskedAgainUntilItAnswers() throws InterruptedException {
        for (int i = 0; i < 4; i++) {
            fixture.store.fail(new StoreUnavailableException("Cannot read: the test says so."));
        }
        offer(P0, 0, fixture.blobs.segment(rows("a", 3)));
        assertThat(fixture.drainUntil(3)).containsExactly("a-0", "a-1", "a-2");
        assertThat(fixture.metrics.value(Counter.STORE_RETRIES)).isEqualTo(4);
        assertThat(fixture.store.reads()).hasSize(5);
    }

    @Test
    void anErrorOfTheStoresClientIsThrownAtOnceAndEachTimeAfter() {
        Error broken = new NoClassDefFoundError("of the client");
        fixture.store.fail(broken);
        offer(P0, 0, fixture.blobs.segment(rows("a", 3)));
        debatcher.prefetch();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(fixture::drain)
                    .isInstanceOf(DeliveryFailedException.class)
                    .hasCause(broken);
        }
    }

    @Test
    void aDropWhileTheStoreIsUnavailableReturnsTheBytes() {
        for (int i = 0; i < 50; i++) { // More than the number of retries before the drop.
            fixture.store.fail(new StoreUnavailableException("Cannot read: the test says so."));
        }
        offer(P0, 0, fixture.blobs.segment(rows("a", 3)));
        debatcher.prefetch();
        assertThat(debatcher.isFetching()).isTrue();
        assertThat(fixture.engine.budget().used()).isPositive();
        debatcher.drop(P0);
        fixture.awaitBytes(); // An attempt may be running.
    }

    @Test
    void aFlippedByteOnTheWayIsReadAfresh() throws InterruptedException {
        Notification notification =
                fixture.blobs.blob(40, List.of(rows("a", 9))).get(0);
        fixture.store.falsify(
                // In the last frame, so it is found after records were returned.
                bytes -> flip(bytes, bytes.length - 5));
        offer(P0, 0, notification);
        assertThat(fixture.drainUntil(9))
                .containsExactly("a-0", "a-1", "a-2", "a-3", "a-4", "a-5", "a-6", "a-7", "a-8");
        assertThat(fixture.metrics.value(Counter.FETCHES_CORRUPT)).isEqualTo(1);
        assertThat(fixture.store.reads()).hasSize(2);
    }

    @Test
    void aTruncatedReadIsReadAfresh() throws InterruptedException {
        fixture.store.falsify(bytes -> Arrays.copyOf(bytes, bytes.length - 1));
        offer(P0, 0, fixture.blobs.segment(rows("a", 3)));
        assertThat(fixture.drainUntil(3)).containsExactly("a-0", "a-1", "a-2");
        assertThat(fixture.metrics.value(Counter.FETCHES_CORRUPT)).isEqualTo(1);
    }

    @Test
    void bytesThatStayCorruptAreThrown() {
        Notification notification =
                fixture.blobs.blob(40, List.of(rows("a", 9))).get(0);
        for (int i = 0; i < 4; i++) {
            fixture.store.falsify(bytes -> flip(bytes, bytes.length - 5));
        }
        debatcher.offer(P0, 0, notification, 0, "c");
        debatcher.prefetch();
        int records = 0;
        while (records < 8) {
            int now = fixture.drain().size();
            records += now;
            assertThat(debatcher.isReady()).isTrue();
        }
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 4; i++) {
                        assertThat(fixture.drain()).isEmpty();
                    }
                })
                .isInstanceOf(BlobCorruptException.class);
        assertThatThrownBy(fixture::drain).isInstanceOf(BlobCorruptException.class);
        assertThat(debatcher.head(P0)).contains(new Position(0, 8));
        assertThat(fixture.store.reads()).hasSize(4);
    }

    @Test
    void aRangeOutsideTheBlobDoesNotHarmItsNeighbour() throws InterruptedException {
        List<Notification> segments = fixture.blobs.blob(64 << 10, List.of(rows("a", 3), rows("b", 3)));
        Notification b = segments.get(1);
        Notification outside = new Notification(
                b.blob(),
                b.store(),
                b.sectionOffset(),
                b.sectionLength() + 100_000,
                b.segmentOffset(),
                50_000,
                b.records(),
                b.codec(),
                b.checksum(),
                b.binding());
        Notification a = segments.get(0);
        offer(
                P0,
                0,
                new Notification(
                        a.blob(),
                        a.store(),
                        a.sectionOffset(),
                        a.sectionLength() + 100_000,
                        a.segmentOffset(),
                        a.segmentLength(),
                        a.records(),
                        a.codec(),
                        a.checksum(),
                        a.binding()));
        offer(P1, 0, outside);
        debatcher.prefetch();
        assertThat(fixture.store.reads()).hasSize(1);
        debatcher.pause(P1);
        assertThat(fixture.drainUntil(3)).containsExactly("a-0", "a-1", "a-2");
        debatcher.resume(P1);
        assertThatThrownBy(() -> fixture.drainUntil(4)).isInstanceOf(BlobCorruptException.class);
    }

    private static byte[] flip(byte[] bytes, int at) {
        bytes[at] ^= 1;
        return bytes;
    }

    @Test
    void aNotificationOfAnotherStoreNamesBoth() {
        Notification n = fixture.blobs.segment(rows("a", 1));
        debatcher.offer(P0, 0, 1, "plain");
        offer(
                P0,
                1,
                new Notification(
                        n.blob(),
                        0x0badcafe,
                        n.sectionOffset(),
                        n.sectionLength(),
                        n.segmentOffset(),
                        n.segmentLength(),
                        n.records(),
                        n.codec(),
                        n.checksum()));
        debatcher.prefetch();
        assertThat(fixture.drain()).containsExactly("plain");
        assertThatThrownBy(fixture::drain)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("0badcafe")
                .hasMessageContaining(String.format("%08x", fixture.store.fingerprint()))
                .hasMessageContaining(fixture.store.location());
        assertThat(fixture.store.reads()).isEmpty();
    }

    @Test
    void aSinkThatThrowsGetsTheSameRecordAgain() {
        offer(P0, 0, fixture.blobs.segment(rows("a", 3)));
        debatcher.prefetch();
        Debatcher.Sink<String> broken = new Debatcher.Sink<>() {
            @Override
            public void record(Partition p, long offset, int index, int count, RecordView record, String carrier) {
                if (index == 1) {
                    throw new IllegalStateException("cannot deserialize");
                }
            }

            @Override
            public void plain(Partition p, long offset, String plain) {}
        };
        assertThatThrownBy(() -> debatcher.drain(10, MIB, broken)).isInstanceOf(IllegalStateException.class);
        assertThat(debatcher.head(P0)).contains(new Position(0, 1));
        assertThat(debatcher.undelivered(P0)).isEqualTo(2);
        assertThat(fixture.drain()).containsExactly("a-1", "a-2");
    }

    @Test
    void waitingEndsWithTheTime() throws InterruptedException {
        offer(P0, 0, fixture.blobs.segment(rows("a", 3)));
        fixture.store.hold();
        debatcher.prefetch();
        debatcher.awaitProgress(Duration.ofMillis(5));
        assertThat(debatcher.isReady()).isFalse();
    }

    @Test
    void oneRecordOfEachSegmentIsTimed() throws InterruptedException {
        offer(P0, 0, fixture.blobs.segment(rows("a", 30)));
        offer(P1, 0, fixture.blobs.segment(1, 64 << 10, rows("b", 1)));
        debatcher.offer(P1, 1, 10, "plain");
        fixture.drainUntil(32);
        assertThat(fixture.metrics.distribution(Latency.HAND_OUT_LATENCY).count())
                .isEqualTo(2);
    }

    @Test
    void timeDoesNotCountWhileThePartitionIsPaused() throws InterruptedException {
        long begin = fixture.time.nanos();
        offer(P0, 0, fixture.blobs.segment(rows("a", 1)));
        debatcher.pause(P0);
        long paused = fixture.time.nanos();
        fixture.time.signal().await(0, paused + Duration.ofMillis(20).toNanos());
        long resumed = fixture.time.nanos();
        debatcher.resume(P0);
        fixture.drainUntil(1);
        long most = fixture.time.nanos() - begin - (resumed - paused);
        assertThat(fixture.metrics.distribution(Latency.HAND_OUT_LATENCY).max()).isBetween(1L, most);
    }

    @Test
    void lagCountsNotifiedRecordsOnly() {
        debatcher.offer(P0, 0, 1, "plain");
        offer(P0, 1, fixture.blobs.segment(rows("a", 30)));
        assertThat(fixture.metrics.value(Gauge.LAG_RECORDS)).isEqualTo(30);
        debatcher.prefetch();
        assertThat(debatcher.drain(11, MIB, fixture.sink)).isEqualTo(11);
        assertThat(fixture.metrics.value(Gauge.LAG_RECORDS)).isEqualTo(20);
        assertThat(fixture.metrics.value(Counter.RECORDS_DELIVERED)).isEqualTo(10);
        debatcher.drop(P0);
        assertThat(fixture.metrics.value(Gauge.LAG_RECORDS)).isZero();
    }
}
