package dev.blobshuffle.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.planner.Tuning;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CostForecastTest {
    private static final double SECONDS = 40;
    private static final double RECORD_BYTES = 70;

    private static CostForecast forecast(int zones, int instances, double bytesPerSecond) {
        return forecast(zones, instances, bytesPerSecond, Tuning.Combining.NONE);
    }

    private static CostForecast forecast(int zones, int instances, double bytesPerSecond, Tuning.Combining combining) {
        DemoMeasurement measured = new DemoMeasurement(
                (long) (bytesPerSecond * SECONDS / RECORD_BYTES),
                new LatencyHistogram(),
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                Map.of(),
                Map.of());
        VariantResult nativeRun = new VariantResult(
                DemoVariant.NATIVE,
                measured,
                Duration.ofMillis((long) (SECONDS * 1000)),
                (long) (bytesPerSecond * SECONDS),
                Duration.ZERO,
                Duration.ZERO,
                new Outputs(Map.of(), Map.of(), Map.of()),
                0);
        DemoOptions options = new DemoOptions(
                zones,
                instances,
                "exactly_once_v2",
                DemoOptions.Blobs.DELETED,
                instances > zones ? DemoOptions.Combining.COMPARED : DemoOptions.Combining.LEFT_OUT,
                Optional.empty());
        return CostForecast.of(options, nativeRun, PriceTables.named("aws"), combining);
    }

    /** The band that docs/demo.md names. */
    @Test
    void threeInstancesBreakEvenAtSomeHundredKilobytesPerSecond() {
        CostForecast forecast = forecast(3, 3, 1 << 20);

        assertThat(forecast.bytesPerSecond()).isBetween(349_000.0, 350_000.0);
        assertThat(forecast.breakEvenBytesPerSecond())
                .hasValueSatisfying(bytes -> assertThat(bytes).isBetween(150_000.0, 300_000.0));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 2})
    void thePriceIsBelowTheNativeOneExactlyAboveBreakEven(double share) {
        double breakEven = forecast(3, 3, 1 << 20).breakEvenBytesPerSecond().orElseThrow();

        assertThat(forecast(3, 3, 3 * share * breakEven).priceRatio().orElseThrow() < 1)
                .isEqualTo(share > 1);
    }

    /** Eight instances in each zone, with the demo's load. */
    @Test
    void instancesThatCombineBreakEvenAtASmallPartOfTheLoad() {
        CostForecast alone = forecast(3, 24, 900_000);
        CostForecast combined = forecast(3, 24, 900_000, Tuning.Combining.ZONE);

        assertThat(combined.priceRatio().orElseThrow())
                .isLessThan(alone.priceRatio().orElseThrow() / 3);
        assertThat(combined.breakEvenBytesPerSecond().orElseThrow())
                .isLessThan(alone.breakEvenBytesPerSecond().orElseThrow() / 3);
    }

    @Test
    void oneZoneHasNoLoadThatPays() {
        CostForecast forecast = forecast(1, 1, 1 << 20);

        assertThat(forecast.breakEvenBytesPerSecond()).isEmpty();
        assertThat(forecast.priceRatio()).isEmpty();
    }

    @Test
    void fewerInstancesThanZonesHaveAForecastToo() {
        assertThat(forecast(3, 1, 1 << 20).priceRatio())
                .hasValueSatisfying(ratio -> assertThat(ratio).isPositive());
    }
}
