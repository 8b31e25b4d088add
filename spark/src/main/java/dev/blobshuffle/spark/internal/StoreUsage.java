package dev.blobshuffle.spark.internal;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.spark.internal.directory.Usage;
import java.util.function.LongSupplier;

/** The requests of an instance to the store, for reports and Spark's metrics. Stateless. */
final class StoreUsage {
    private StoreUsage() {}

    /** So far. */
    static Usage of(ShuffleInstance instance) {
        ShuffleMetrics metrics = instance.engine().metrics();
        return new Usage(
                metrics.value(Counter.PUTS),
                metrics.value(Counter.GETS),
                metrics.value(Counter.LISTS) + metrics.value(Counter.HEADS) + metrics.value(Counter.DELETES),
                metrics.value(dev.blobshuffle.core.internal.metrics.Gauge.STORE_COST),
                0,
                0);
    }

    /** Shows an executor's in Spark's metrics. */
    static void show(ShuffleInstance instance, MetricRegistry registry) {
        show(registry, "requests", () -> of(instance).requests());
        show(registry, "requests.put", () -> of(instance).puts());
        show(registry, "requests.get", () -> of(instance).gets());
        show(registry, "requests.failed", () -> failures(instance.engine().metrics()));
        show(registry, "bytes.sent", () -> instance.engine().metrics().value(Counter.BYTES_SENT));
        show(registry, "bytes.fetched", () -> instance.engine().metrics().value(Counter.BYTES_FETCHED));
        show(registry, "cost.microdollars", () -> of(instance).microdollars());
    }

    private static long failures(ShuffleMetrics metrics) {
        return metrics.value(Counter.PUT_FAILURES) + metrics.value(Counter.GET_FAILURES);
    }

    /** Adds a number. */
    static void show(MetricRegistry registry, String name, LongSupplier number) {
        Gauge<Long> gauge = number::getAsLong;
        Gauge<Long> ignored = registry.gauge(name, () -> gauge);
    }
}
