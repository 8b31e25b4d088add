package dev.blobshuffle.core.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.deliver.DeliveryQueue;
import dev.blobshuffle.core.internal.write.deliver.Segment;
import dev.blobshuffle.core.internal.write.log.LogCut;
import dev.blobshuffle.core.internal.write.log.TimestampRange;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract of a lane's queue, in any order of its callers' steps. */
class DeliveryQueueTest {
    private static final Partition P0 = new Partition("t", 0);
    private static final Zone A = new Zone("a");
    private static final Duration LONG = Duration.ofMinutes(1);

    private final SystemTime time = new SystemTime();
    private final MemoryBlobStore store = new MemoryBlobStore("queue", 1 << 20);
    private final Batcher batcher = new Batcher(
            store, BatcherOptions.builder().delay(Duration.ofHours(1)).build(), time, new ShuffleMetrics());
    private final RecordingChannel channel = new RecordingChannel();

    @AfterEach
    void close() {
        batcher.close();
        store.close();
        time.close();
    }

    @Test
    void whatBecomesSendableWhileTheOwnerEmitsIsSentWhenTheOwnerStops() throws Exception {
        DeliveryQueue queue = new DeliveryQueue("lane", channel, time.signal(), batcher.deliveries());
        Segment segment = new Segment(queue, P0, A, new LogCut(List.of(), 1, new TimestampRange(1, 1)), time.nanos());
        BlobId blob = new BlobId(time.wallMillis() / BlobId.MILLIS_PER_GENERATION, 2, 3);
        assertThat(queue.enqueue(segment)).isTrue();
        queue.setOwnerEmits(true);
        assertThat(queue.stored(segment, new Notification(blob, 4, 0, 8, 0, 8, 1, Codec.NONE, 5)))
                .isTrue();
        queue.emitSoon();
        assertThat(channel.sends()).isZero();

        queue.setOwnerEmits(false);

        channel.awaitSends(1);
    }

    /**
     * A failure empties the queue. If a flush treated the lane as drained, it would commit lost
     * records.
     */
    @Test
    void aLaneThatHasFailedIsNotDrained() throws Exception {
        try (Lane lane = batcher.lane("lane", channel)) {
            channel.holdAcknowledgements();
            lane.output(P0, A).append(1, null, new byte[1], Headers.NONE);
            lane.seal();
            channel.awaitSends(1);
            channel.takeHeld().failed(new IllegalStateException("refused"));

            assertThat(lane.isDrained()).isFalse();
            assertThatThrownBy(() -> lane.flush(LONG)).isInstanceOf(DeliveryFailedException.class);
            lane.discard();
            assertThat(lane.isDrained()).isTrue();
        }
    }
}
