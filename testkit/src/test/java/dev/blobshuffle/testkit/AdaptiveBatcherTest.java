package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.Latency;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.Batcher;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.options.LatencyTarget;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.planner.LatencyModel;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.SlowBlobStore;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How a Batcher with a target latency chooses sizes and delays, under a virtual clock. */
class AdaptiveBatcherTest {
    private static final int PARTITIONS = 6;
    private static final int RECORD = 1000;
    private static final Duration TICK = Duration.ofMillis(5);
    private static final long MOST = 1 << 20;

    /** A put of nothing takes 100 ms, one of 1 MiB takes 600. */
    private static final LatencyProfile STORE =
            new LatencyProfile("test", Optional.of(new LatencyModel(100, 0.2, 2, 0.2, 0, 1)), Optional.empty());

    private final ShuffleMetrics metrics;
    private final SimulatedTime time = new SimulatedTime(3);

    AdaptiveBatcherTest() {
        metrics = new ShuffleMetrics(time);
    }

    /** What a test does with a lane. */
    private interface Body {
        void run(Lane lane);
    }

    private void run(BatcherOptions.Builder options, LatencyProfile profile, Body body) {
        try (time;
                MemoryBlobStore memory = new MemoryBlobStore("test", 1 << 30)) {
            Batcher batcher = new Batcher(new SlowBlobStore(memory, profile, time), options.build(), time, metrics);
            time.actor("writer", () -> {
                body.run(batcher.lane("lane", new PromptChannel()));
                batcher.close();
            });
            time.run();
        }
    }

    private static BatcherOptions.Builder aimingAt(int millis) {
        Duration target = Duration.ofMillis(millis);
        return BatcherOptions.builder().batchBytes(MOST).delay(target).target(LatencyTarget.of(target));
    }

    private void append(Lane lane, int records) {
        for (int i = 0; i < records; i++) {
            int partition = time.random(PARTITIONS);
            lane.output(new Partition("t", partition), new Zone("zone-" + partition % 3))
                    .append(0, null, new byte[RECORD], Headers.NONE);
        }
    }

    /** A steady load of so many records in every tick. */
    private void load(Lane lane, int records, Duration span) {
        Duration end = time.elapsed().plus(span);
        while (time.elapsed().compareTo(end) < 0) {
            append(lane, records);
            time.pause(TICK);
        }
    }

    private long shown(Gauge gauge) {
        return metrics.value(gauge);
    }

    @Test
    void theFirstBatchIsShortAgainstTheTarget() {
        run(aimingAt(2000), STORE, lane -> {
            append(lane, 1);
            time.pause(Duration.ofMillis(499));
            assertThat(metrics.value(Counter.BATCHES_SEALED_DELAY)).isZero();
            time.pause(Duration.ofMillis(2));
            assertThat(metrics.value(Counter.BATCHES_SEALED_DELAY)).isOne();
        });
    }

    @Test
    void sizeAndDelayFollowTheLoadWithinSeconds() {
        run(aimingAt(1000), STORE, lane -> {
            load(lane, 1, Duration.ofSeconds(30));
            long slowDelay = shown(Gauge.CHOSEN_BATCH_DELAY);
            long slowBytes = shown(Gauge.CHOSEN_BATCH_BYTES);
            assertThat(slowDelay).isBetween(300L, 750L);
            assertThat(shown(Gauge.PREDICTED_LATENCY_P95)).isBetween(600L, 1000L);

            load(lane, 10, Duration.ofSeconds(3));
            assertThat(shown(Gauge.CHOSEN_BATCH_BYTES)).isBetween(2 * slowBytes, MOST);
            assertThat(shown(Gauge.CHOSEN_BATCH_DELAY)).isLessThan(slowDelay);

            load(lane, 1, Duration.ofSeconds(5));
            assertThat(shown(Gauge.CHOSEN_BATCH_BYTES)).isLessThan(2 * slowBytes);
            assertThat(metrics.distribution(Latency.SHUFFLE_LATENCY).percentile(0.95))
                    .isLessThan(Duration.ofSeconds(1).toNanos());
            assertThat(shown(Gauge.TARGET_LATENCY_UNREACHABLE)).isZero();
        });
    }

    @Test
    void aSurgeSealsBeforeTheDelayAndIsKnownAtOnce() {
        run(aimingAt(1000), STORE, lane -> {
            load(lane, 1, Duration.ofSeconds(30));
            long bytes = shown(Gauge.CHOSEN_BATCH_BYTES);
            long bySize = metrics.value(Counter.BATCHES_SEALED_SIZE);
            append(lane, 2000);
            assertThat(metrics.value(Counter.BATCHES_SEALED_SIZE)).isGreaterThan(bySize);
            assertThat(shown(Gauge.CHOSEN_BATCH_BYTES)).isGreaterThan(2 * bytes);
        });
    }

    @Test
    void noBlobIsLargerThanTheSettingAllows() {
        run(aimingAt(10_000).batchBytes(64 << 10), STORE, lane -> {
            load(lane, 20, Duration.ofSeconds(20));
            lane.flush(Duration.ofMinutes(1));
            long blobs = metrics.value(Counter.BLOBS_STORED);
            assertThat(metrics.value(Counter.BLOB_BYTES_STORED) / blobs).isLessThan(66 << 10);
            assertThat(shown(Gauge.CHOSEN_BATCH_BYTES)).isEqualTo(64 << 10);
        });
    }

    @Test
    void theDelayThatIsSetIsTheLongest() {
        run(aimingAt(10_000).delay(Duration.ofMillis(200)), STORE, lane -> {
            load(lane, 1, Duration.ofSeconds(10));
            assertThat(shown(Gauge.CHOSEN_BATCH_DELAY)).isEqualTo(200);
        });
    }

    @Test
    void aTargetOutOfReachIsShownAndBatchesStaySensible() {
        run(aimingAt(100), STORE, lane -> {
            load(lane, 1, Duration.ofSeconds(20));
            assertThat(shown(Gauge.TARGET_LATENCY_UNREACHABLE)).isOne();
            assertThat(shown(Gauge.CHOSEN_BATCH_DELAY)).isBetween(10L, 100L);
            assertThat(shown(Gauge.PREDICTED_LATENCY_P95)).isBetween(100L, 300L);
        });
    }

    @Test
    void aStoreThatBecomesFastIsReached() {
        run(aimingAt(100), LatencyProfile.ZERO, lane -> {
            load(lane, 1, Duration.ofSeconds(20));
            assertThat(shown(Gauge.TARGET_LATENCY_UNREACHABLE)).isZero();
            assertThat(shown(Gauge.CHOSEN_BATCH_DELAY)).isBetween(40L, 85L);
        });
    }

    @Test
    void withoutATargetNothingIsChosen() {
        run(BatcherOptions.builder(), STORE, lane -> {
            load(lane, 1, Duration.ofSeconds(5));
            lane.flush(Duration.ofMinutes(1));
            assertThat(shown(Gauge.CHOSEN_BATCH_BYTES)).isZero();
            assertThat(shown(Gauge.CHOSEN_BATCH_DELAY)).isZero();
            assertThat(metrics.distribution(Latency.SHUFFLE_LATENCY).count()).isZero();
            assertThat(metrics.distribution(Latency.NOTIFICATION_LATENCY).count())
                    .isPositive();
        });
    }

    /** Takes everything at once. */
    private static final class PromptChannel implements Channel {
        @Override
        public void send(
                Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
            delivery.delivered();
        }

        @Override
        public void send(Partition partition, SegmentRecords plain, Delivery delivery) {
            delivery.delivered();
        }

        @Override
        public void flush() {}
    }
}
