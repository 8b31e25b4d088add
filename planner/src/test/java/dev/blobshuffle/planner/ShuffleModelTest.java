package dev.blobshuffle.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.core.internal.write.options.BatchScope;
import dev.blobshuffle.planner.Workload.Guarantee;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ShuffleModelTest {
    private static final double MIB = 1 << 20;
    private static final ShuffleModel MODEL =
            new ShuffleModel(PriceTables.named("aws"), LatencyProfile.S3_BLOBSHUFFLE_PAPER);
    private static final Workload LOAD = Workload.builder()
            .bytesPerSecond(60 * MIB)
            .commitInterval(Duration.ofMinutes(10))
            .build();
    private static final Tuning TUNING = Tuning.builder().overheadBytes(0).build();

    private static Estimate estimate(Workload workload, Tuning tuning) {
        return MODEL.estimate(workload, tuning, 1000);
    }

    @Test
    void atALowRateOneBlobHoldsAllZones() {
        Estimate estimate = estimate(LOAD, TUNING); // 5 MiB in 500 ms
        assertThat(estimate.isFilledBySize()).isFalse();
        assertThat(estimate.traffic().puts()).isCloseTo(6 / 0.5, withinPercentage(1));
        assertThat(estimate.traffic().gets()).isCloseTo(2 * 6 / 0.5, withinPercentage(1));
        assertThat(estimate.blobBytes()).isCloseTo(5 * MIB, withinPercentage(1));
    }

    @Test
    void atAHighRateAZoneHasABlobOfItsOwn() {
        Estimate estimate = estimate(LOAD.withBytesPerSecond(1200 * MIB), TUNING);
        assertThat(estimate.isFilledBySize()).isTrue();
        assertThat(estimate.traffic().puts()).isCloseTo(1200.0 / 16, withinPercentage(2));
        assertThat(estimate.traffic().puts() / estimate.traffic().gets()).isCloseTo(1.5, withinPercentage(0.1));
    }

    @Test
    void smallBatchesGoThroughKafka() {
        Tuning inlining = TUNING.toBuilder().inlineBytes(104 * 1024).build();
        Estimate estimate = estimate(LOAD.withBytesPerSecond(MIB), inlining); // 87 KiB in 500 ms
        assertThat(estimate.traffic().puts()).isZero();
        assertThat(estimate.traffic().inlinedBytes()).isCloseTo(MIB, withinPercentage(1));
        assertThat(estimate.cost().inlined()).isCloseTo(192.0 / 1024, withinPercentage(1));
        assertThat(estimate.latencies().p99()).isLessThan(0.53);
    }

    @Test
    void everythingIsEitherStoredOrInlined() {
        for (double mebibytes : new double[] {0.5, 1, 1.3, 2, 20, 200, 2000}) {
            for (Guarantee guarantee : Guarantee.values()) {
                Workload load = LOAD.toBuilder()
                        .bytesPerSecond(mebibytes * MIB)
                        .guarantee(guarantee)
                        .build();
                Tuning inlining = TUNING.toBuilder().inlineBytes(104 * 1024).build();
                Traffic traffic = estimate(load, inlining).traffic();
                assertThat(traffic.storedBytes() + traffic.inlinedBytes())
                        .describedAs("%s MiB/s, %s", mebibytes, guarantee)
                        .isCloseTo(mebibytes * MIB, withinPercentage(1));
            }
        }
    }

    @Test
    void recordsMayBeLargerThanBlobs() {
        Workload huge = LOAD.toBuilder().recordBytes(64 * MIB).build();
        Traffic traffic = estimate(huge, TUNING).traffic();
        assertThat(traffic.storedBytes()).isCloseTo(60 * MIB, withinPercentage(1));
        assertThat(traffic.puts()).isCloseTo(60.0 / 64, withinPercentage(1));
    }

    @Test
    void threadsThatShareABlobNeedFewer() {
        Workload threads = LOAD.toBuilder().threads(4).build();
        Tuning apart = TUNING.toBuilder().scope(BatchScope.LANE).build();
        assertThat(estimate(threads, apart).traffic().puts())
                .isCloseTo(4 * estimate(threads, TUNING).traffic().puts(), withinPercentage(2));
        assertThat(estimate(threads, apart).traffic().notifications())
                .isCloseTo(estimate(threads, TUNING).traffic().notifications(), withinPercentage(3));
    }

    @Test
    void commitsEndBatchesAndUnderExactlyOnceReadersWaitForThem() {
        Workload often = LOAD.toBuilder().commitInterval(Duration.ofMillis(200)).build();
        Estimate frequent = estimate(often, TUNING);
        assertThat(frequent.commitWait()).isBetween(0.2, 1.0);
        double period = 0.2 + frequent.commitWait();
        assertThat(frequent.traffic().puts()).isCloseTo(6 / period, withinPercentage(2));

        Workload once = often.toBuilder()
                .guarantee(Guarantee.EXACTLY_ONCE_V2)
                .commitInterval(Duration.ofSeconds(5))
                .build();
        Estimate atLeastOnce =
                estimate(often.toBuilder().commitInterval(Duration.ofSeconds(5)).build(), TUNING);
        assertThat(estimate(once, TUNING).latencies().p50())
                .isGreaterThan(atLeastOnce.latencies().p50() + 1.5);
        assertThat(estimate(once, TUNING).latencies().p95()).isBetween(4.5, 7.0);
    }

    @Test
    void withoutACacheEachReaderAsks() {
        Tuning alone = TUNING.toBuilder().cache(Tuning.Cache.NONE).build();
        // Segments of 97 KiB are too far apart to be read along, so that each partition asks.
        assertThat(estimate(LOAD, alone).traffic().gets()).isCloseTo(54 * 6 / 0.5, withinPercentage(1));
        // Segments of 10 KiB are near, so that each of two consumers in a zone asks once.
        assertThat(estimate(LOAD.withBytesPerSecond(6 * MIB), alone).traffic().gets())
                .isCloseTo(2 * 3 * 6 / 0.5, withinPercentage(1));
    }

    @Test
    void hedgingCostsItsShareAndCutsTheTail() {
        Tuning hedged = TUNING.toBuilder().hedgedShare(0.05).build();
        Estimate with = MODEL.estimate(LOAD, hedged, 10_000);
        Estimate without = MODEL.estimate(LOAD, TUNING, 10_000);
        assertThat(with.traffic().puts()).isCloseTo(1.05 * without.traffic().puts(), withinPercentage(0.1));
        assertThat(with.latencies().p99()).isLessThan(0.95 * without.latencies().p99());
    }

    @Test
    void compressionStoresLess() {
        Workload compressed = LOAD.toBuilder().compression(0.25).build();
        assertThat(estimate(compressed, TUNING).traffic().storedBytes()).isCloseTo(15 * MIB, withinPercentage(1));
        assertThat(estimate(compressed, TUNING).latencies().p95())
                .isLessThan(estimate(LOAD, TUNING).latencies().p95());
    }

    @Test
    void theSameQuestionHasTheSameAnswer() {
        assertThat(estimate(LOAD, TUNING)).isEqualTo(estimate(LOAD, TUNING));
    }

    @Test
    void impossibleWorkloadsAreRefused() {
        assertThatThrownBy(() -> LOAD.toBuilder().instances(2).build())
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("2 instances cannot be in 3 zones");
        assertThatThrownBy(() -> LOAD.withBytesPerSecond(Double.NaN)).hasMessageContaining("throughput is NaN");
        assertThatThrownBy(() -> LOAD.toBuilder().compression(1.1).build()).hasMessageContaining("at most 1");
        assertThatThrownBy(() -> TUNING.toBuilder().delay(Duration.ofMillis(-1)).build())
                .hasMessageContaining("delay is -1 ms");
    }
}
