package dev.blobshuffle.core.internal.pricing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import org.junit.jupiter.api.Test;

class LiveCostTest {
    private final ShuffleMetrics metrics = new ShuffleMetrics();

    @Test
    void countedRequestsArePriced() {
        LiveCost.report(metrics, PriceTables.named("aws"));
        metrics.add(Counter.PUTS, 1000);
        metrics.add(Counter.GETS, 1500);
        metrics.add(Counter.HEADS, 500);
        metrics.add(Counter.LISTS, 200);
        metrics.add(Counter.DELETES, 1_000_000);
        metrics.add(Counter.BYTES_SENT, 1L << 40);
        assertThat(metrics.value(Gauge.STORE_COST)).isEqualTo(5000 + 800 + 1000);
    }

    @Test
    void bytesArePricedWhereTheStoreChargesForThem() {
        LiveCost.report(metrics, PriceTables.named("aws-s3-express"));
        metrics.add(Counter.BYTES_SENT, 10L << 30);
        metrics.add(Counter.BYTES_FETCHED, 5L << 30);
        assertThat(metrics.value(Gauge.STORE_COST)).isEqualTo(32_000 + 3000);
    }

    @Test
    void theNativeShuffleOfTheSameBytesIsPricedBesideIt() {
        LiveCost.report(metrics, PriceTables.named("aws"));
        metrics.add(Counter.BYTES_APPENDED, 3L << 30);
        assertThat(metrics.value(Gauge.NATIVE_COST)).isEqualTo(160_000);
    }
}
