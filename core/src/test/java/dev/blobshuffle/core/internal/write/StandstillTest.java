package dev.blobshuffle.core.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.DeadlineExceededException;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.time.ForwardingTime;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A process that was paused between the seal of a batch and its notification does not send the
 * notification, because a sweep may have deleted the blob.
 */
class StandstillTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration LIMIT = Duration.ofMinutes(45);
    private static final Partition P0 = new Partition("t", 0);

    private final SystemTime real = new SystemTime();
    private final JumpingTime time = new JumpingTime(real);
    private final MemoryBlobStore memory = new MemoryBlobStore("test", 1 << 20);
    private final HeldBlobStore held = new HeldBlobStore(memory);

    @AfterEach
    void close() {
        memory.close();
        real.close();
    }

    private Batcher batcher() {
        BatcherOptions options = BatcherOptions.builder()
                .delay(Duration.ofHours(1))
                .deliveryTimeout(Duration.ofMinutes(20))
                .notifyWithin(LIMIT)
                .build();
        return new Batcher(held, options, time, new ShuffleMetrics());
    }

    private static void append(Lane lane) {
        lane.output(P0, Zone.SINGLE).append(0, null, new byte[10], Headers.NONE);
    }

    @Test
    void batchThatWasSealedTooLongAgoFailsItsLaneBeforeItsNotification() throws Exception {
        RecordingChannel channel = new RecordingChannel();
        try (Batcher batcher = batcher();
                Lane lane = batcher.lane("lane", channel)) {
            append(lane);
            lane.seal();
            HeldBlobStore.Put put = held.put(0);
            time.monotonic.addAndGet(LIMIT.plusSeconds(1).toNanos());
            put.succeed();

            assertThatThrownBy(() -> lane.flush(MINUTE))
                    .isInstanceOf(DeadlineExceededException.class)
                    .hasMessageContaining("stood still");
            assertThat(channel.sends()).isZero();

            lane.discard();
            append(lane);
            held.letGo();
            lane.flush(MINUTE);
            assertThat(channel.sends()).isEqualTo(1);
        }
    }

    @Test
    void machineThatWasSuspendedIsNoticedByTheWallClock() throws Exception {
        RecordingChannel channel = new RecordingChannel();
        try (Batcher batcher = batcher();
                Lane lane = batcher.lane("lane", channel)) {
            append(lane);
            lane.seal();
            HeldBlobStore.Put put = held.put(0);
            time.wall.addAndGet(LIMIT.plusMinutes(2).toMillis());
            put.succeed();

            assertThatThrownBy(() -> lane.flush(MINUTE)).isInstanceOf(DeadlineExceededException.class);
            assertThat(channel.sends()).isZero();
        }
    }

    @Test
    void channelThatHoldsNotificationsGetsThemAsMuchEarlier() throws Exception {
        Duration holds = Duration.ofMinutes(10);
        RecordingChannel channel = new RecordingChannel() {
            @Override
            public Duration longestDelivery() {
                return holds;
            }
        };
        try (Batcher batcher = batcher();
                Lane lane = batcher.lane("lane", channel)) {
            append(lane);
            lane.seal();
            HeldBlobStore.Put put = held.put(0);
            time.monotonic.addAndGet(LIMIT.minus(holds).plusSeconds(1).toNanos());
            put.succeed();

            assertThatThrownBy(() -> lane.flush(MINUTE)).isInstanceOf(DeadlineExceededException.class);
            assertThat(channel.sends()).isZero();
        }
    }

    @Test
    void batchThatIsYoungEnoughIsNotified() throws Exception {
        RecordingChannel channel = new RecordingChannel();
        try (Batcher batcher = batcher();
                Lane lane = batcher.lane("lane", channel)) {
            append(lane);
            lane.seal();
            HeldBlobStore.Put put = held.put(0);
            time.monotonic.addAndGet(LIMIT.minusMinutes(5).toNanos());
            time.wall.addAndGet(LIMIT.minusMinutes(5).toMillis());
            put.succeed();

            lane.flush(MINUTE);
            assertThat(channel.sends()).isEqualTo(1);
        }
    }

    /** The machine's time with clocks that a test can make jump; timers are not affected. */
    private static final class JumpingTime extends ForwardingTime {
        final AtomicLong monotonic = new AtomicLong();
        final AtomicLong wall = new AtomicLong();

        JumpingTime(Time real) {
            super(real);
        }

        @Override
        public long wallMillis() {
            return super.wallMillis() + wall.get();
        }

        @Override
        public long nanos() {
            return super.nanos() + monotonic.get();
        }
    }
}
