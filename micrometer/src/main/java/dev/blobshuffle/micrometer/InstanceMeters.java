package dev.blobshuffle.micrometer;

import dev.blobshuffle.core.internal.metrics.Flow;
import dev.blobshuffle.core.internal.metrics.LabelledMetrics;
import dev.blobshuffle.core.internal.metrics.Latency;
import dev.blobshuffle.core.internal.metrics.Metric;
import dev.blobshuffle.core.internal.metrics.PayloadFlows;
import dev.blobshuffle.core.internal.metrics.PrometheusText;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics.Registration;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meters of one instance in one registry. The registry refers to the instance weakly, and the
 * meters are removed when the registration ends. Thread-safe: zones become known on any thread.
 */
final class InstanceMeters implements Registration {
    private static final Logger LOG = LoggerFactory.getLogger(BlobShuffleMetrics.class);

    private final ShuffleMetrics metrics;
    private final Tags tags;
    private final MeterRegistry registry;
    private final Queue<Meter> meters = new ConcurrentLinkedQueue<>();

    /**
     * The sources of the meters, closed first and in reverse order. Owned by the thread that
     * registers, then by the thread that closes.
     */
    private final Deque<Registration> sources = new ArrayDeque<>();

    private InstanceMeters(LabelledMetrics shown, MeterRegistry registry) {
        this.metrics = shown.metrics();
        this.tags = Tags.of(tag(shown, "application"), tag(shown, "client"), tag(shown, "engine"), tag(shown, "zone"));
        this.registry = registry;
    }

    /**
     * Registers all meters of an instance. Omits a meter that the registry refuses and logs a
     * warning, because monitoring must not prevent the start of an application.
     */
    static InstanceMeters register(LabelledMetrics shown, MeterRegistry registry) {
        InstanceMeters meters = new InstanceMeters(shown, registry);
        for (Metric metric : meters.metrics.metrics()) {
            meters.add(metric.name(), () -> meters.meter(metric));
        }
        for (Latency latency : Latency.values()) {
            meters.add(latency.name(), () -> meters.timer(latency));
        }
        meters.sources.push(
                meters.metrics.flows().watch(flow -> meters.add(flow.toString(), () -> meters.counter(flow))));
        return meters;
    }

    /**
     * A tag. All instances have the same tags, because Prometheus requires that of meters with one
     * name.
     */
    private static Tag tag(LabelledMetrics shown, String name) {
        return Tag.of(name, shown.labels().getOrDefault(name, "none"));
    }

    private void add(String what, Supplier<Meter> registering) {
        try {
            meters.add(registering.get());
        } catch (RuntimeException e) {
            LOG.warn(
                    "Cannot show {} of {} in {}: {}.",
                    what,
                    tags,
                    registry.getClass().getName(),
                    e.toString());
        }
    }

    private Meter meter(Metric metric) {
        String name = MeterNames.name(metric);
        String unit = MeterNames.baseUnit(metric);
        double divisor = PrometheusText.divisor(metric);
        return switch (metric.kind()) {
            case COUNTER ->
                FunctionCounter.builder(name, metrics, from -> from.value(metric) / divisor)
                        .tags(tags)
                        .baseUnit(unit)
                        .description(metric.doc())
                        .register(registry);
            case GAUGE, QUANTILE ->
                isTime(metric)
                        ? TimeGauge.builder(name, metrics, TimeUnit.MILLISECONDS, from -> from.value(metric))
                                .tags(tags)
                                .description(metric.doc())
                                .register(registry)
                        : Gauge.builder(name, metrics, from -> from.value(metric) / divisor)
                                .tags(tags)
                                .baseUnit(unit)
                                .description(metric.doc())
                                .register(registry);
        };
    }

    private static boolean isTime(Metric metric) {
        return metric.unit() == Metric.Unit.MILLISECONDS;
    }

    private Meter timer(Latency latency) {
        Timer timer = Timer.builder(MeterNames.name(latency))
                .tags(tags)
                .description(latency.doc() + ".")
                .register(registry);
        sources.push(metrics.listen(latency, nanos -> timer.record(nanos, TimeUnit.NANOSECONDS)));
        return timer;
    }

    private Meter counter(Flow flow) {
        Metric metric = PayloadFlows.METRIC;
        return FunctionCounter.builder(
                        MeterNames.name(metric), metrics, from -> from.flows().value(flow))
                .tags(tags.and("from", flow.from(), "to", flow.to()))
                .baseUnit(MeterNames.baseUnit(metric))
                .description(metric.doc())
                .register(registry);
    }

    /** Closes the sources of the meters, then removes the meters. */
    @Override
    public void close() {
        for (Registration source = sources.poll(); source != null; source = sources.poll()) {
            source.close();
        }
        for (Meter meter = meters.poll(); meter != null; meter = meters.poll()) {
            registry.remove(meter);
        }
    }
}
