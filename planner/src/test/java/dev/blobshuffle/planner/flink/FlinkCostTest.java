package dev.blobshuffle.planner.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.planner.flink.FlinkCost.Verdict;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlinkCostTest {
    private static final PriceTable AWS = PriceTables.named("aws");
    private static final double MEBIBYTE = 1 << 20;
    private static final double GIBIBYTE = 1 << 30;

    private static FlinkShuffle shuffle(double bytesPerSecond, long zones, double cpuSecondsPerGib) {
        return new FlinkShuffle(
                bytesPerSecond,
                new FlinkShuffle.Cluster(zones, 6, 12, 120),
                new FlinkShuffle.Batching(
                        16 * MEBIBYTE, Duration.ofMillis(500), Duration.ofHours(6), cpuSecondsPerGib));
    }

    private static FlinkCost cost(double bytesPerSecond, long zones) {
        return new FlinkCost(shuffle(bytesPerSecond, zones, 3), AWS);
    }

    @Test
    void flinkPaysForTheBytesThatLeaveTheirZone() {
        HourlyCost flink = cost(GIBIBYTE, 3).ofFlink();
        double bytes = GIBIBYTE * 3600 * 2 / 3;
        assertThat(flink.crossingBytes()).isCloseTo(bytes, within(1.0));
        assertThat(flink.total()).isCloseTo(AWS.traffic().of(bytes, 0.02), within(1e-9));
    }

    /** 1 GiB/s: each of six TaskManagers fills 16 MiB within the delay. */
    @Test
    void fullBlobsHaveAReadForEachSubtaskInOtherZones() {
        HourlyCost blobs = cost(GIBIBYTE, 3).throughBlobs();
        double puts = 1024.0 / 16 * 3600 * 2 / 3;
        assertThat(blobs.puts()).isCloseTo(puts, within(1e-6));
        assertThat(blobs.gets()).isCloseTo(puts * 8, within(1e-3));
        assertThat(blobs.requestUsd()).isCloseTo(puts * (5e-6 + 8 * 0.4e-6), within(1e-6));
        // Two senders, 80 key groups in other zones.
        assertThat(blobs.crossingBytes()).isCloseTo(puts * 160 * 55, within(1.0));
    }

    /** 6 MiB/s: two thirds of 1 MiB/s in 500 ms. */
    @Test
    void aLowRateMakesSmallBlobs() {
        HourlyCost blobs = cost(6 * MEBIBYTE, 3).throughBlobs();
        assertThat(blobs.puts()).isCloseTo(6 * 2 * 3600.0, within(1e-6));
    }

    @Test
    void processorsAndStorageArePriced() {
        HourlyCost blobs = cost(GIBIBYTE, 3).throughBlobs();
        assertThat(blobs.cpuUsd()).isCloseTo(2.0 / 3 * 3 * AWS.vcpuPerHour(), within(1e-9));
        double stored = GIBIBYTE * 3600 * 2 / 3 * 6;
        assertThat(blobs.storageUsd())
                .isCloseTo(AWS.traffic().of(stored, AWS.traffic().storageMonth()) / AWS.monthHours(), within(1e-9));
        assertThat(blobs.total())
                .isCloseTo(
                        blobs.crossingUsd() + blobs.requestUsd() + blobs.storageUsd() + blobs.cpuUsd(), within(1e-12));
    }

    @Test
    void itPaysWhereBytesCrossZones() {
        assertThat(cost(GIBIBYTE, 3).verdict()).isEqualTo(Verdict.PAYS);
        assertThat(cost(GIBIBYTE, 1).verdict()).isEqualTo(Verdict.ONE_ZONE);
        assertThat(cost(GIBIBYTE, 1).throughBlobs().total()).isZero();
    }

    @Test
    void itDoesNotPayWhereCrossingsAreFree() {
        FlinkCost azure = new FlinkCost(shuffle(GIBIBYTE, 3, 3), PriceTables.named("azure"));
        assertThat(azure.verdict()).isEqualTo(Verdict.CROSSINGS_ARE_FREE);
    }

    @Test
    void itDoesNotPayIfProcessorsCostMoreThanTheCrossing() {
        FlinkCost slow = new FlinkCost(shuffle(GIBIBYTE, 3, 5_000), AWS);
        assertThat(slow.verdict()).isEqualTo(Verdict.BYTES_COST_MORE);
        assertThat(slow.breakEvenBlobBytes()).isEmpty();
    }

    @Test
    void itPaysFromTheSizeThatBreaksEven() {
        double size = cost(GIBIBYTE, 3).breakEvenBlobBytes().orElseThrow();
        double rate = size * 6 / 0.5 * 3 / 2;
        assertThat(cost(rate * 0.99, 3).verdict()).isEqualTo(Verdict.SMALL_BLOBS);
        assertThat(cost(rate * 1.01, 3).verdict()).isEqualTo(Verdict.PAYS);
    }

    @ParameterizedTest
    @CsvSource({"0, 3, 6, 12, 120", "NaN, 3, 6, 12, 120", "1, 0, 6, 12, 120", "1, 3, 0, 12, 120", "1, 3, 6, 12, 11"})
    void nothingToShuffleIsRefused(double rate, long zones, long managers, long parallelism, long groups) {
        FlinkShuffle.Batching batching =
                new FlinkShuffle.Batching(MEBIBYTE, Duration.ofMillis(1), Duration.ofHours(6), 3);
        assertThatThrownBy(() -> new FlinkShuffle(
                        rate, new FlinkShuffle.Cluster(zones, managers, parallelism, groups), batching))
                .isInstanceOf(InvalidSettingsException.class);
    }
}
