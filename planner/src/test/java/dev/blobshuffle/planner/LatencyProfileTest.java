package dev.blobshuffle.planner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.pricing.PriceTables;
import org.junit.jupiter.api.Test;

class LatencyProfileTest {
    @Test
    void everyShippedPriceTableNamesAProfile() {
        for (String name : PriceTables.names()) {
            assertThat(LatencyProfile.all())
                    .extracting(LatencyProfile::name)
                    .contains(PriceTables.named(name).profile());
        }
    }
}
