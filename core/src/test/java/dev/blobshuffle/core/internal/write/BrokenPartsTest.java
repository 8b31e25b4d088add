package dev.blobshuffle.core.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.seal.SealReason;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Channels and stores that break their contract. A flush fails at once, not at its deadline. */
class BrokenPartsTest {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration AT_ONCE = Duration.ofMinutes(1);
    private static final Partition P0 = new Partition("t", 0);

    private final SystemTime time = new SystemTime();
    private final MemoryBlobStore store = new MemoryBlobStore("test", 1L << 20);
    private final Error broken = new NoClassDefFoundError("of a part");

    @AfterEach
    void end() {
        store.close();
        time.close();
    }

    private Batcher batcher(BlobStore puts) {
        BatcherOptions options = BatcherOptions.builder()
                .delay(Duration.ofHours(1))
                .deliveryTimeout(LONG)
                .build();
        return new Batcher(puts, options, time, new ShuffleMetrics());
    }

    private static void append(Lane lane) {
        lane.output(P0, Zone.SINGLE).append(0, new byte[] {1}, new byte[] {2}, Headers.NONE);
    }

    private static void atOnce(Executable what) {
        assertTimeoutPreemptively(AT_ONCE, what);
    }

    @Test
    void anErrorOfTheChannelInAFlushIsThrownAndSticks() {
        try (Batcher batcher = batcher(store)) {
            Lane lane = batcher.lane("lane", new BreakingChannel());
            append(lane);
            atOnce(() -> assertThatThrownBy(() -> lane.flush(LONG)).isSameAs(broken));
            assertThat(lane.failure())
                    .isInstanceOf(DeliveryFailedException.class)
                    .hasCause(broken);
            assertThatThrownBy(() -> append(lane)).hasCause(broken);
        }
    }

    @Test
    void anErrorOfTheChannelOnADeliveryThreadFailsTheNextFlushAtOnce() {
        try (Batcher batcher = batcher(store)) {
            Lane lane = batcher.lane("lane", new BreakingChannel());
            append(lane);
            batcher.sealAll(SealReason.SIZE);
            atOnce(() -> assertThatThrownBy(() -> lane.flush(LONG))
                    .satisfiesAnyOf(
                            thrown -> assertThat(thrown).isSameAs(broken),
                            thrown -> assertThat(thrown).hasCause(broken)));
            assertThat(lane.failure()).hasCause(broken);
        }
    }

    @Test
    void anErrorOfTheChannelsFlushSticks() {
        RecordingChannel unacknowledged = new RecordingChannel() {
            @Override
            public void flush() {
                throw broken;
            }
        };
        unacknowledged.holdAcknowledgements();
        try (Batcher batcher = batcher(store)) {
            Lane lane = batcher.lane("lane", unacknowledged);
            append(lane);
            atOnce(() -> assertThatThrownBy(() -> lane.flush(LONG)).isSameAs(broken));
            assertThat(lane.failure()).hasCause(broken);
        }
    }

    @Test
    void anErrorOfTheStoreFailsTheFlushAtOnce() {
        ForwardingBlobStore breaking = new ForwardingBlobStore(store) {
            @Override
            public CompletionStage<Void> put(BlobId id, BlobContent content) {
                throw broken;
            }
        };
        try (Batcher batcher = batcher(breaking)) {
            Lane lane = batcher.lane("lane", new RecordingChannel());
            append(lane);
            atOnce(() -> assertThatThrownBy(() -> lane.flush(LONG))
                    .isInstanceOf(DeliveryFailedException.class)
                    .hasCause(broken));
        }
        assertThat(store.usedBytes()).isZero();
    }

    @Test
    void aChannelThatCannotTakeAFailureHidesItFromNobody() throws Exception {
        HeldBlobStore held = new HeldBlobStore(store);
        RecordingChannel deaf = new RecordingChannel() {
            @Override
            public void failed(RuntimeException cause) {
                throw new IllegalStateException("deaf");
            }
        };
        try (Batcher batcher = batcher(held)) {
            Lane first = batcher.lane("first", deaf);
            Lane second = batcher.lane("second", deaf);
            append(first);
            append(second);
            batcher.sealAll(SealReason.SIZE);
            held.put(0).fail(new StoreUnavailableException("down"));
            for (Lane lane : new Lane[] {first, second}) {
                atOnce(() -> assertThatThrownBy(() -> lane.flush(LONG)).isInstanceOf(StoreUnavailableException.class));
                assertThat(lane.failure().getSuppressed()).hasSize(1);
            }
        }
    }

    /** A channel that breaks at the first send. */
    private final class BreakingChannel implements Channel {
        @Override
        public void send(
                Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
            throw broken;
        }

        @Override
        public void send(Partition partition, SegmentRecords records, Delivery delivery) {
            throw broken;
        }

        @Override
        public void flush() {
            throw broken;
        }
    }
}
