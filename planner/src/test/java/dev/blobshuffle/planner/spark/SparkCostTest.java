package dev.blobshuffle.planner.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SparkCostTest {
    private static final double TERABYTE = 1e12;

    private static SparkCost cost(long maps, long reducers, double bytes, long executors, long cores, long zones) {
        SparkShuffle.Cluster cluster = new SparkShuffle.Cluster(executors, cores, zones);
        return new SparkCost(new SparkShuffle(maps, reducers, bytes, cluster), PriceTables.named("aws"));
    }

    /** The example of the guide: 1 TB, 8,000 maps of 125 MB, 2,000 reducers, 100 executors. */
    private static SparkCost terabyte(long zones) {
        return cost(8_000, 2_000, TERABYTE, 100, 4, zones);
    }

    @Test
    void sparkPaysForTheBytesThatLeaveTheirZone() {
        ShuffleCost three = terabyte(3).ofSpark();
        assertThat(three.puts() + three.gets()).isZero();
        assertThat(three.crossingBytes()).isCloseTo(TERABYTE * 2 / 3, within(1.0));
        assertThat(three.mapsAgain()).isEqualTo(80);
        assertThat(terabyte(1).ofSpark().total()).isZero();
    }

    /** Two parts of 64 MiB, begin and end of their upload, index and checksums: six per map. */
    @Test
    void anObjectPerMapIsReadByEveryReducer() {
        ShuffleCost each = terabyte(3).objectPerMap();
        assertThat(each.puts()).isEqualTo(8_000 * 6);
        assertThat(each.gets()).isEqualTo(8_000.0 * 2_000 + 3 * 8_000 * 100);
        assertThat(each.requestUsd()).isCloseTo(48_000 * 5e-6 + 18_400_000 * 0.4e-6, within(0.001));
        assertThat(each.crossingUsd()).isZero();
    }

    @Test
    void writeBehindReadsWritersOfItsZoneAndStoresFewBlobs() {
        ShuffleCost ours = terabyte(1).writeBehind();
        assertThat(ours.puts()).isEqualTo(8_000); // A map is longer than 64 MiB.
        assertThat(ours.gets()).isZero();
        assertThat(ours.mapsAgain()).isZero();

        ShuffleCost inZones = terabyte(3).writeBehind();
        assertThat(inZones.gets()).isCloseTo(terabyte(3).sync().gets() * 2 / 3, within(1.0));
        assertThat(inZones.crossingBytes()).isZero();
    }

    /** Uploads wait for a second only, and in it end as many maps as there are cores. */
    @Test
    void blobsThatOtherZonesReadAreSmaller() {
        assertThat(cost(1_000, 100, 1e9, 10, 4, 1).writeBehind().puts()).isEqualTo(20);
        assertThat(cost(1_000, 100, 1e9, 10, 4, 3).writeBehind().puts()).isEqualTo(250);
    }

    /** Blobs of 64 MiB, one more for each executor. */
    @ParameterizedTest
    @CsvSource({"1000, 200", "10000, 200", "2000, 20", "100, 8", "7, 3"})
    void putsAreBytesBy64MiBAndOnePerExecutor(long maps, long reducers) {
        double bytes = maps * 1e6;
        long executors = 10;
        double most = Math.ceil(bytes / (64 << 20)) + executors;
        assertThat(cost(maps, reducers, bytes, executors, 4, 1).writeBehind().puts())
                .isPositive()
                .isLessThanOrEqualTo(most);
    }

    /** 65,536 segments: 32 maps of 2,000 partitions. */
    @Test
    void aBlobHasAtMost65536Segments() {
        assertThat(cost(3_200, 2_000, 3_200 * 1e5, 10, 4, 1).writeBehind().puts())
                .isEqualTo(10 * 10);
    }

    @Test
    void syncPacksOnlyWhatEndsTogether() {
        SparkCost cost = cost(1_000, 100, 1e9, 10, 4, 3);
        assertThat(cost.sync().puts()).isEqualTo(250);
        assertThat(cost.sync().gets()).isEqualTo(250 * 100 + 250 * 10);
        assertThat(cost.sync().crossingBytes()).isZero();
    }

    @Test
    void aLostExecutorCostsItsShareOfTheReads() {
        SparkCost cost = cost(1_000, 100, 1e9, 10, 4, 1);
        assertThat(cost.writeBehind().puts()).isEqualTo(20);
        assertThat(cost.getsAfterLoss()).isEqualTo((20 * 100 + 20 * 10) / 10.0);
    }

    @Test
    void cachesOfZonesReadEachByteOncePerZone() {
        ShuffleCost cached = terabyte(3).syncCached();
        assertThat(cached.gets()).isEqualTo(3 * Math.ceil(TERABYTE / (16 << 20)) + 8_000 * 100);
        assertThat(terabyte(3).writeBehindCached().gets()).isCloseTo(cached.gets() * 2 / 3, within(1.0));
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 1, 1", "1, 0, 1, 1", "1, 1, 0, 1", "1, 1, 1, 0", "1, 1, NaN, 1", "1000000001, 1, 1, 1"})
    void nothingToShuffleIsRefused(long maps, long reducers, double bytes, long executors) {
        assertThatThrownBy(() -> cost(maps, reducers, bytes, executors, 1, 1))
                .isInstanceOf(InvalidSettingsException.class);
    }
}
