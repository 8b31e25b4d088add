package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.Batcher;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the Batcher does at which time, under a virtual clock. */
class BatcherTimeTest {
    private static final Partition P0 = new Partition("t", 0);
    private static final Duration HOUR = Duration.ofHours(1);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void fallbackKeepsToItsRate(long seed) {
        try (SimulatedTime time = new SimulatedTime(seed);
                MemoryBlobStore memory = new MemoryBlobStore("test", 1 << 20)) {
            BlobStore down = new ForwardingBlobStore(memory) {
                @Override
                public CompletionStage<Void> put(BlobId id, BlobContent content) {
                    return CompletableFuture.failedFuture(new StoreUnavailableException("down"));
                }
            };
            BatcherOptions options = BatcherOptions.builder()
                    .delay(HOUR)
                    .batchBytes(10_000)
                    .fallback(new BatcherOptions.Fallback(100_000, 100_000))
                    .build();
            TimedChannel channel = new TimedChannel(time);
            Batcher batcher = new Batcher(down, options, time, new ShuffleMetrics());
            time.actor("writer", () -> {
                Lane lane = batcher.lane("lane", channel);
                for (int i = 0; i < 4; i++) {
                    append(lane, i, new byte[10_000]);
                    time.pause(Duration.ofMillis(1));
                }
                lane.flush(Duration.ofMinutes(1));
                batcher.close();
            });
            time.run();

            assertThat(channel.timestamps).containsExactly(0L, 1L, 2L, 3L);
            for (int i = 0; i < 4; i++) {
                Duration paid = Duration.ofMillis(100L * i);
                assertThat(channel.sent.get(i)).isBetween(paid, paid.plusMillis(10));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void delaySealsWaitWhileTheStoreIsBehind(long seed) {
        try (SimulatedTime time = new SimulatedTime(seed);
                MemoryBlobStore memory = new MemoryBlobStore("test", 1 << 20)) {
            List<CompletableFuture<Void>> puts = new ArrayList<>();
            BlobStore slow = new ForwardingBlobStore(memory) {
                @Override
                public CompletionStage<Void> put(BlobId id, BlobContent content) {
                    CompletableFuture<Void> answer = new CompletableFuture<>();
                    puts.add(answer);
                    return answer;
                }
            };
            BatcherOptions options = BatcherOptions.builder()
                    .delay(Duration.ZERO)
                    .blobsInFlight(1)
                    .build();
            TimedChannel channel = new TimedChannel(time);
            Batcher batcher = new Batcher(slow, options, time, new ShuffleMetrics());
            time.actor("writer", () -> {
                Lane lane = batcher.lane("lane", channel);
                append(lane, 0, new byte[1]);
                time.pause(Duration.ofMillis(20));
                for (int i = 1; i <= 100; i++) {
                    append(lane, i, new byte[1]);
                }
                time.pause(Duration.ofSeconds(10)); // the seal that the first of the hundred asked for is long due
                assertThat(puts).hasSize(1);
                puts.get(0).complete(null);
                time.pause(Duration.ofMillis(20));
                assertThat(puts).hasSize(2);
                puts.get(1).complete(null);
                lane.flush(Duration.ofMinutes(1));
                batcher.close();
            });
            time.run();

            assertThat(channel.records).isEqualTo(101);
            assertThat(channel.sent).hasSize(2);
        }
    }

    private static void append(Lane lane, long timestamp, byte[] value) {
        lane.output(P0, Zone.SINGLE).append(timestamp, null, value, Headers.NONE);
    }

    /** Takes everything at once, and notes when. Guarded by the simulation's baton. */
    private static final class TimedChannel implements Channel {
        private final SimulatedTime time;
        private final List<Duration> sent = new ArrayList<>();
        private final List<Long> timestamps = new ArrayList<>();
        private int records;

        TimedChannel(SimulatedTime time) {
            this.time = time;
        }

        @Override
        public void send(
                Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
            records += notification.records();
            took(delivery);
        }

        @Override
        public void send(Partition partition, SegmentRecords plain, Delivery delivery) {
            records += plain.count();
            plain.forEach((timestamp, key, value, headers) -> timestamps.add(timestamp));
            took(delivery);
        }

        private void took(Delivery delivery) {
            sent.add(time.elapsed());
            delivery.delivered();
        }

        @Override
        public void flush() {}
    }
}
