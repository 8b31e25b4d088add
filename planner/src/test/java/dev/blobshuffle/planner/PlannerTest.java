package dev.blobshuffle.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withPrecision;
import static org.assertj.core.data.Percentage.withPercentage;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.planner.Workload.Guarantee;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PlannerTest {
    private static final double MIB = 1 << 20;
    private static final Workload LARGE = Workload.builder()
            .bytesPerSecond(1024 * MIB)
            .instances(24)
            .partitions(216)
            .build();
    private static final Tuning INLINING =
            Tuning.builder().inlineBytes(104 * 1024).build();

    private static Plan plan(String provider, Workload workload, Goal goal) {
        PriceTable prices = PriceTables.named(provider);
        return new Planner(new ShuffleModel(prices, LatencyProfile.S3_BLOBSHUFFLE_PAPER))
                .plan(workload, INLINING, goal);
    }

    @Test
    void theCheapestSettingsMeetTheLatency() {
        Plan plan = plan("aws", LARGE, new Goal.TargetP95(1.73));
        assertThat(plan.meetsGoal()).isTrue();
        assertThat(plan.recommended().latencies().p95()).isLessThanOrEqualTo(1.73);
        assertThat(plan.recommended().cost().store()).isLessThan(1.40); // the paper's at this p95
        assertThat(plan.paysOff()).isTrue();
        assertThat(plan.settings().stream().map(Plan.RecommendedSetting::name))
                .contains(
                        "blobshuffle.batch.max.bytes",
                        "blobshuffle.batch.max.delay.ms",
                        "blobshuffle.write.buffer.bytes");
        assertThat(plan.settings())
                .allSatisfy(setting -> assertThat(setting.reason()).isNotBlank());
    }

    /** Six hours of the default floor against one hour of retention, which the figures have. */
    @Test
    void thePlanHasThePriceOfTheFloor() {
        Plan plan = plan("aws", LARGE, new Goal.TargetP95(1.73));
        FloorPrice floor = plan.floor();
        assertThat(floor.floor()).isEqualTo(Duration.ofHours(6));
        assertThat(floor.keptBytes())
                .isCloseTo(6 * 3600 * plan.recommended().traffic().storedBytes(), withPercentage(0.001));
        assertThat(floor.usdPerHour()).isCloseTo(6 * plan.recommended().cost().stored(), withPercentage(0.001));
        assertThat(plan.findings())
                .anySatisfy(finding -> assertThat(finding)
                        .contains(
                                "before it is 6 h old (blobshuffle.retention.floor.ms)",
                                "TiB",
                                "USD per hour",
                                "disk space"));
        assertThat(plan("self-hosted", LARGE, new Goal.TargetP95(1.73)).floor().usdPerHour())
                .isZero();
    }

    @Test
    void theFastestSettingsKeepTheCost() {
        Plan plan = plan("aws", LARGE, new Goal.MaxCost(5));
        assertThat(plan.recommended().cost().total()).isLessThanOrEqualTo(5);
        assertThat(plan.recommended().latencies().p95()).isLessThan(1.73);
    }

    @Test
    void noPointOfTheFrontierIsBeaten() {
        Plan plan = plan("aws", LARGE, new Goal.TargetP95(2));
        for (int i = 1; i < plan.frontier().size(); i++) {
            assertThat(plan.frontier().get(i).cost().total())
                    .isLessThan(plan.frontier().get(i - 1).cost().total());
            assertThat(plan.frontier().get(i).latencies().p95())
                    .isGreaterThanOrEqualTo(
                            plan.frontier().get(i - 1).latencies().p95());
        }
    }

    @Test
    void anImpossibleGoalIsSaidToBe() {
        assertThat(plan("aws", LARGE, new Goal.TargetP95(0.05)).meetsGoal()).isFalse();
        assertThat(plan("aws", LARGE, new Goal.MaxCost(0.5)).meetsGoal()).isFalse();
    }

    @Test
    void freeTrafficDoesNotPayOff() {
        Plan plan = plan("azure", LARGE, new Goal.TargetP95(2));
        assertThat(plan.paysOff()).isFalse();
        assertThat(plan.findings().get(0)).contains("does not pay off", "free");
        assertThat(plan.breakEvenBytesPerSecond()).isEmpty();
    }

    @Test
    void oneZoneDoesNotPayOff() {
        Plan plan = plan("aws", LARGE.toBuilder().zones(1).build(), new Goal.TargetP95(2));
        assertThat(plan.paysOff()).isFalse();
        assertThat(plan.findings().get(0)).contains("does not pay off", "one zone");
    }

    @Test
    void aLowRateDoesNotPayOffAndTheRateFromWhichItDoesIsNamed() {
        Workload small = Workload.builder().bytesPerSecond(0.1 * MIB).build();
        Plan plan = plan("aws", small, new Goal.TargetP95(1));
        assertThat(plan.paysOff()).isFalse();
        assertThat(plan.findings().get(0)).contains("does not pay off");
        assertThat(plan.breakEvenBytesPerSecond().orElseThrow()).isBetween(0.2 * MIB, 20 * MIB);
        Workload larger =
                small.withBytesPerSecond(2 * plan.breakEvenBytesPerSecond().orElseThrow());
        assertThat(plan("aws", larger, new Goal.TargetP95(1)).paysOff()).isTrue();
    }

    @Test
    void frequentCommitsAtASmallRateDoNotPayOff() {
        Workload often = Workload.builder()
                .bytesPerSecond(2 * MIB)
                .guarantee(Guarantee.EXACTLY_ONCE_V2)
                .build();
        Plan plan = plan("aws", often, new Goal.TargetP95(2));
        assertThat(plan.paysOff()).isFalse();
        assertThat(String.join(" ", plan.findings())).contains("does not pay off", "rarer commits");
        assertThat(plan.alternatives().stream().map(Plan.Alternative::name))
                .anyMatch(name -> name.startsWith("commit.interval.ms=1000"));
    }

    @Test
    void commitsThatLeaveLittleTimeAreAWarning() {
        Plan plan = plan(
                "aws", LARGE.toBuilder().guarantee(Guarantee.EXACTLY_ONCE_V2).build(), new Goal.TargetP95(2));
        assertThat(String.join(" ", plan.findings())).contains("The commit interval of 100 ms is short");
    }

    private static final Workload FLEET = Workload.builder()
            .bytesPerSecond(10 * MIB)
            .instances(96)
            .partitions(216)
            .build();

    private static Plan combined(Workload workload, Goal goal) {
        return new Planner(new ShuffleModel(PriceTables.named("aws"), LatencyProfile.S3_STANDARD))
                .plan(
                        workload,
                        INLINING.toBuilder().combining(Tuning.Combining.ZONE).build(),
                        goal);
    }

    private static String setting(Plan plan, String name) {
        return plan.settings().stream()
                .filter(setting -> setting.name().equals("blobshuffle." + name))
                .map(Plan.RecommendedSetting::value)
                .findFirst()
                .orElse("");
    }

    @Test
    void aFleetThatCombinesPays() {
        Plan plan = combined(FLEET, new Goal.TargetP95(1));
        assertThat(plan.paysOff()).isTrue();
        assertThat(plan.meetsGoal()).isTrue();
        assertThat(plan.recommended().partsPerBlob()).isEqualTo(32, withPrecision(0.5));
        assertThat(plan.findings()).last().asString().startsWith("Combining saves ");
        assertThat(setting(plan, "combine.enabled")).isEqualTo("true");
        assertThat(setting(plan, "inline.max.bytes")).isEqualTo("4 KiB");
        assertThat(plan.breakEvenBytesPerSecond().orElseThrow()).isLessThan(2 * MIB);
        assertThat(plan.alternatives().get(0).name()).startsWith("without combining");
    }

    @Test
    void aPlanWithoutCombiningSaysWhatItWouldSave() {
        Plan plan = plan("aws", FLEET, new Goal.TargetP95(1));
        assertThat(plan.recommended().partsPerBlob()).isEqualTo(1);
        assertThat(plan.findings()).last().asString().contains("would save", "--combine");
        assertThat(setting(plan, "combine.enabled")).isEmpty();
        assertThat(plan.alternatives().get(0).name()).startsWith("with combining (--combine)");
    }

    /** A GiB/s over 24 instances: blobs of one instance are large enough. */
    @Test
    void combiningThatDoesNotPayIsLeftOut() {
        Plan plan = combined(LARGE, new Goal.TargetP95(1));
        assertThat(plan.findings()).last().asString().startsWith("Combining does not pay here");
        assertThat(setting(plan, "combine.enabled")).isEmpty();
        assertThat(combined(LARGE.toBuilder().instances(3).partitions(27).build(), new Goal.TargetP95(2))
                        .findings())
                .anySatisfy(finding -> assertThat(finding).contains("several instances in each zone"));
    }

    @Test
    void instancesThatCombineShareDownloadsToo() {
        Tuning.Builder tuning = Tuning.builder().cache(Tuning.Cache.NONE).combining(Tuning.Combining.ZONE);
        assertThatThrownBy(tuning::build)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("a cache per zone");
    }
}
