package dev.blobshuffle.core.internal.read;

import static dev.blobshuffle.core.internal.read.DebatcherFixture.P0;
import static dev.blobshuffle.core.internal.read.DebatcherFixture.P1;
import static dev.blobshuffle.core.internal.read.DebatcherFixture.P2;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.read.SegmentFixture.Row;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadBudgetTest {
    private static final int MIB = 1 << 20;

    /** Rows of 10 kB each: too large for a frame of 16 KiB to hold two. */
    private static List<Row> large(int count) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] value = new byte[10_000];
            byte[] name = ("v" + i).getBytes();
            System.arraycopy(name, 0, value, 0, name.length);
            rows.add(new Row(i, null, value));
        }
        return rows;
    }

    @Test
    void prefetchStopsAtTheBudget() {
        try (DebatcherFixture fixture = new DebatcherFixture(4 * MIB)) {
            for (int i = 0; i < 20; i++) {
                fixture.debatcher.offer(P0, i, fixture.blobs.segment(large(50)), 0, "c");
            }
            fixture.debatcher.prefetch();
            assertThat(fixture.engine.budget().used())
                    .isLessThanOrEqualTo(4 * MIB)
                    .isGreaterThan(3 * MIB);
            assertThat(fixture.engine.budget().reserved()).isZero();
            fixture.stepUntil(1000, () -> {
                fixture.drain();
                assertThat(fixture.engine.budget().used()).isLessThanOrEqualTo(4 * MIB);
            });
            assertThat(fixture.sink.values).hasSize(1000);
        }
    }

    @Test
    void noPartitionStarvesBehindAnotherThatHoldsTheWholeBudget() {
        try (DebatcherFixture fixture = new DebatcherFixture(MIB)) {
            for (int i = 0; i < 8; i++) {
                fixture.debatcher.offer(P0, i, fixture.blobs.segment(large(25)), 0, "c");
            }
            fixture.debatcher.prefetch();
            assertThat(fixture.engine.budget().used()).isGreaterThan(MIB / 2);
            fixture.debatcher.pause(P0); // It keeps its bytes.

            fixture.debatcher.offer(P1, 0, fixture.blobs.segment(1, 16 << 10, large(60)), 0, "c");
            fixture.debatcher.offer(P2, 0, fixture.blobs.segment(2, 16 << 10, large(60)), 0, "c");
            fixture.drainUntil(120);
            assertThat(fixture.sink.values).hasSize(120);
            fixture.debatcher.resume(P0);
            fixture.drainUntil(320);
        }
    }

    @Test
    void headsBeyondTheBudgetAreReadInPiecesFromABoundedReserve() {
        try (DebatcherFixture fixture = new DebatcherFixture(1)) {
            List<Partition> partitions = List.of(P0, P1, P2);
            for (Partition partition : partitions) {
                fixture.debatcher.offer(
                        partition, 0, fixture.blobs.segment(partition.number(), 16 << 10, large(100)), 0, "c");
                fixture.debatcher.offer(
                        partition, 1, fixture.blobs.segment(partition.number(), 16 << 10, large(100)), 7, "c");
            }
            int expected = 3 * 193;
            fixture.debatcher.prefetch();
            fixture.stepUntil(expected, () -> {
                fixture.debatcher.drain(10, MIB, fixture.sink);
                assertThat(fixture.engine.budget().reserved()).isLessThanOrEqualTo(3 * (128 << 10));
                assertThat(fixture.engine.budget().used()).isZero();
            });
            for (Partition partition : partitions) {
                List<String> positions = fixture.sink.positions.stream()
                        .filter(position -> position.startsWith(partition.number() + "@"))
                        .toList();
                List<String> inOrder = new ArrayList<>();
                for (int i = 0; i < 193; i++) {
                    inOrder.add(partition.number() + (i < 100 ? "@0:" + i : "@1:" + (i - 93)) + "/100 c");
                }
                assertThat(positions).isEqualTo(inOrder);
            }
        }
    }

    @Test
    void theReserveIsBoundedHoweverManyPartitionsThereAre() {
        int partitions = 40;
        try (DebatcherFixture fixture = new DebatcherFixture(2 * MIB)) {
            fixture.debatcher.offer(P0, 0, fixture.blobs.segment(large(150)), 0, "c"); // nearly all of the budget
            fixture.debatcher.prefetch();
            fixture.debatcher.pause(P0);
            for (int i = 1; i <= partitions; i++) {
                fixture.debatcher.offer(
                        new Partition("t", i), 0, fixture.blobs.segment(i, 16 << 10, large(40)), 0, "c");
            }
            fixture.stepUntil(partitions * 40, () -> {
                fixture.debatcher.drain(10, MIB, fixture.sink);
                assertThat(fixture.engine.budget().reserved()).isLessThanOrEqualTo(MIB / 2);
            });
        }
    }

    @Test
    void aDebatcherWithoutAPieceGetsOneThoughAnotherHoldsTheWholeReserve() {
        try (DebatcherFixture fixture = new DebatcherFixture(1);
                Debatcher<String> other = fixture.engine.debatcher("other")) {
            other.offer(P1, 0, fixture.blobs.segment(1, 16 << 10, large(40)), 0, "c");
            other.prefetch();
            assertThat(fixture.engine.budget().reserved()).isPositive();
            fixture.debatcher.offer(
                    P0, 0, fixture.blobs.blob(16 << 10, List.of(large(40))).get(0), 0, "c");
            assertThat(fixture.drainUntil(40)).hasSize(40);
        }
    }

    @Test
    void aRecordLargerThanBudgetAndPieceIsReadAllTheSame() {
        try (DebatcherFixture fixture = new DebatcherFixture(1)) {
            List<Row> rows = new ArrayList<>(large(2));
            rows.add(new Row(5, new byte[3], new byte[10_000_000]));
            rows.addAll(large(2));
            fixture.debatcher.offer(
                    P0, 0, fixture.blobs.blob(16 << 10, List.of(rows)).get(0), 0, "c");
            fixture.drainUntil(5);
            assertThat(fixture.sink.sizes)
                    .containsExactly("-1,10000", "-1,10000", "3,10000000", "-1,10000", "-1,10000");
        }
    }

    @Test
    void piecesOfCompressedSegmentsWorkToo() {
        for (Codec codec : Codec.values()) {
            try (DebatcherFixture fixture = new DebatcherFixture(1)) {
                SegmentFixture blobs = new SegmentFixture(fixture.store, codec);
                fixture.debatcher.offer(
                        P0, 0, blobs.blob(16 << 10, List.of(large(300))).get(0), 11, "c");
                assertThat(fixture.drainUntil(289)).hasSize(289);
            }
        }
    }

    @Test
    void corruptPiecesAreReadAfreshFromTheSegmentsStart() {
        try (DebatcherFixture fixture = new DebatcherFixture(1)) {
            fixture.debatcher.offer(
                    P0, 0, fixture.blobs.blob(16 << 10, List.of(large(100))).get(0), 0, "c");
            fixture.debatcher.prefetch();
            fixture.store.falsify(bytes -> {
                bytes[bytes.length / 2] ^= 8;
                return bytes;
            });
            assertThat(fixture.drainUntil(100)).hasSize(100);
            for (int i = 0; i < 100; i++) {
                assertThat(fixture.sink.positions.get(i)).isEqualTo("0@0:" + i + "/100 c");
            }
        }
    }

    @Test
    void pausedHeadsTakeNothingFromTheReserve() {
        try (DebatcherFixture fixture = new DebatcherFixture(1)) {
            fixture.debatcher.pause(P0);
            fixture.debatcher.offer(P0, 0, fixture.blobs.segment(large(3)), 0, "c");
            fixture.debatcher.prefetch();
            assertThat(fixture.store.reads()).isEmpty();
            assertThat(fixture.engine.budget().reserved()).isZero();
        }
    }
}
