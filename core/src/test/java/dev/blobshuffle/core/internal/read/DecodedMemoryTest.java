package dev.blobshuffle.core.internal.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.read.SegmentFixture.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Frames that are far larger decompressed than stored. Their memory counts in the read budget. */
class DecodedMemoryTest {
    private static final int VALUE = 4 << 20;
    private static final int FRAME = 2 * VALUE;
    private static final long BUDGET = 20L << 20;
    private static final int PARTITIONS = 6;

    /**
     * Two frames are within the budget; one more is for the decoder that could not continue
     * otherwise.
     */
    private static final long MOST = BUDGET + FRAME + VALUE;

    @Test
    void decodedFramesCountInTheBudgetAndStayWithinIt() throws InterruptedException {
        try (DebatcherFixture fixture = new DebatcherFixture(BUDGET)) {
            offerAll(fixture);
            long most = 0;
            while (fixture.sink.values.size() < 2 * PARTITIONS) {
                fixture.debatcher.awaitProgress(Duration.ofSeconds(10));
                fixture.debatcher.drain(1, 1, fixture.sink);
                most = Math.max(most, fixture.engine.budget().used());
                assertThat(most).isLessThanOrEqualTo(MOST);
            }
            assertThat(most).isGreaterThanOrEqualTo(FRAME);
            assertEachOnceInOrder(fixture.sink.positions);
        }
    }

    @Test
    void pausedPartitionsDoNotKeepOthersFromBeingDecoded() throws InterruptedException {
        try (DebatcherFixture fixture = new DebatcherFixture(BUDGET)) {
            List<Partition> partitions = offerAll(fixture);
            while (fixture.sink.values.size() < PARTITIONS) {
                fixture.debatcher.awaitProgress(Duration.ofSeconds(10));
                fixture.debatcher.drain(1, 1, fixture.sink);
                for (Partition partition : partitions) {
                    if (fixture.debatcher.head(partition).orElseThrow().index() > 0) {
                        fixture.debatcher.pause(partition); // in the middle of its frame
                    }
                }
                assertThat(fixture.engine.budget().used()).isLessThanOrEqualTo(MOST);
            }
            partitions.forEach(fixture.debatcher::resume);
            fixture.drainUntil(2 * PARTITIONS);
            assertEachOnceInOrder(fixture.sink.positions);
        }
    }

    private static List<Partition> offerAll(DebatcherFixture fixture) {
        SegmentFixture blobs = new SegmentFixture(fixture.store, Codec.ZSTD);
        List<Partition> partitions = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            Partition partition = new Partition("t", i);
            List<Row> rows = List.of(new Row(0, null, new byte[VALUE]), new Row(1, null, new byte[VALUE - 100]));
            Notification notification = blobs.segment(i, FRAME + 1000, rows);
            assertThat(notification.segmentLength()).isLessThan(10_000);
            fixture.debatcher.offer(partition, 0, notification, 0, "c");
            partitions.add(partition);
        }
        fixture.debatcher.prefetch();
        return partitions;
    }

    private static void assertEachOnceInOrder(List<String> positions) {
        for (int i = 0; i < PARTITIONS; i++) {
            String prefix = i + "@0:";
            assertThat(positions.stream().filter(at -> at.startsWith(prefix)).toList())
                    .containsExactly(prefix + "0/2 c", prefix + "1/2 c");
        }
    }
}
