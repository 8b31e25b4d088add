package dev.blobshuffle.micrometer;

import dev.blobshuffle.core.internal.instance.RunningInstances;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics.Registration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.IdentityHashMap;

/**
 * Publishes the metrics of BlobShuffle in Micrometer registries. It covers all instances of the
 * process that are open now or open later. Meters of an instance are removed when it closes. Bind
 * it once per registry, before or after the application starts:
 *
 * <pre>{@code
 * BlobShuffleMetrics metrics = new BlobShuffleMetrics();
 * metrics.bindTo(registry);
 * }</pre>
 *
 * <p>Meters have the names of {@code docs/metrics.md} with dots for dashes and the prefix
 * {@code blobshuffle.}. They have the tags {@code application}, {@code client}, {@code engine} and
 * {@code zone}; a tag without a value is {@code none}. A Prometheus registry shows them under the
 * names in that document. Latencies are timers too, so the application can configure their
 * histograms like those of its other timers.
 *
 * <p>Thread-safe.
 */
public final class BlobShuffleMetrics implements MeterBinder, AutoCloseable {
    /** Guarded by this. */
    private final IdentityHashMap<MeterRegistry, Registration> bound = new IdentityHashMap<>();

    /** A binder that is bound to no registry. */
    public BlobShuffleMetrics() {}

    /** Publishes the metrics in a registry until this binder is closed. Idempotent. */
    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        if (!bound.containsKey(registry)) {
            bound.put(
                    registry, RunningInstances.watch(instance -> InstanceMeters.register(instance.shown(), registry)));
        }
    }

    /** Removes all meters from all registries. The registries stay open. Idempotent. */
    @Override
    public synchronized void close() {
        bound.values().forEach(Registration::close);
        bound.clear();
    }
}
