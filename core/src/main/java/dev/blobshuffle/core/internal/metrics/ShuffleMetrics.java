package dev.blobshuffle.core.internal.metrics;

import dev.blobshuffle.core.internal.metrics.Answers.LastFailure;
import dev.blobshuffle.core.internal.metrics.Metric.Kind;
import dev.blobshuffle.core.internal.metrics.Metric.Unit;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;

/**
 * The counters, gauges and latencies of one instance, as data. Parts of the engine write them, and
 * each front door publishes them in its own way (Kafka's registry, JMX, JSON). Writing takes no
 * lock and allocates nothing. Parts still count per batch or buffer, never per record. Thread-safe.
 */
public final class ShuffleMetrics {
    private static final double NANOS_PER_MILLISECOND = 1e6;

    /**
     * One published figure of a latency: its name's suffix, its description, and its value in
     * nanoseconds.
     */
    private record Quantile(String suffix, String doc, ToDoubleFunction<Distribution> nanos) {}

    private static final List<Quantile> QUANTILES = List.of(
            new Quantile("p50", "median", distribution -> distribution.percentile(0.5)),
            new Quantile("p95", "95th percentile", distribution -> distribution.percentile(0.95)),
            new Quantile("p99", "99th percentile", distribution -> distribution.percentile(0.99)),
            new Quantile("max", "maximum", Distribution::max));

    private final Map<Counter, LongAdder> counters = new EnumMap<>(Counter.class);
    private final Map<Gauge, List<LongSupplier>> gauges = new EnumMap<>(Gauge.class);
    private final Map<Latency, RecentDistribution> latencies = new EnumMap<>(Latency.class);
    private final Map<Latency, Total> totals = new EnumMap<>(Latency.class);
    private final Map<Metric, DoubleSupplier> readings = new LinkedHashMap<>();
    private final PayloadFlows flows = new PayloadFlows();

    private final LongSupplier nanoClock;

    /** The metrics of the front door; never changed in place. */
    private volatile Map<Metric, DoubleSupplier> added = Map.of();

    private final Answers store;

    /**
     * Metrics that start at 0 and whose latencies cover the whole run. For measuring a run as a
     * whole.
     */
    public ShuffleMetrics() {
        this(() -> 0);
    }

    /** Metrics that start at 0 and whose latencies cover the last 30 to 60 seconds. */
    public ShuffleMetrics(Time time) {
        this(time::nanos);
    }

    ShuffleMetrics(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        store = new Answers(nanoClock);
        for (Counter counter : Counter.values()) {
            LongAdder adder = new LongAdder();
            counters.put(counter, adder);
            boolean isTime = counter.metric().unit() == Unit.MILLISECONDS;
            readings.put(counter.metric(), isTime ? () -> adder.sum() / NANOS_PER_MILLISECOND : adder::sum);
        }
        long begin = nanoClock.getAsLong();
        for (Gauge gauge : Gauge.values()) {
            gauges.put(gauge, new CopyOnWriteArrayList<>());
            readings.put(gauge.metric(), () -> value(gauge));
        }
        for (Latency latency : Latency.values()) {
            RecentDistribution distribution = new RecentDistribution(nanoClock);
            latencies.put(latency, distribution);
            totals.put(latency, new Total());
            for (Quantile quantile : QUANTILES) {
                readings.put(
                        metric(latency, quantile),
                        () -> quantile.nanos().applyAsDouble(distribution.recent()) / NANOS_PER_MILLISECOND);
            }
        }
        of(gauges, Gauge.UPTIME).add(() -> Math.round((nanoClock.getAsLong() - begin) / NANOS_PER_MILLISECOND));
    }

    /** Adds to a counter; counters of time take nanoseconds. */
    public void add(Counter counter, long amount) {
        of(counters, counter).add(amount);
    }

    /**
     * A counter of the front door, published together with those of the engine. Add it before the
     * metrics are published. Counting takes no lock and allocates nothing.
     *
     * @return adds an amount in the metric's unit; nanoseconds for a counter of time
     * @throws IllegalArgumentException the metric is not a counter, or its name is taken
     */
    public LongConsumer counter(Metric metric) {
        if (metric.kind() != Kind.COUNTER) {
            throw new IllegalArgumentException("Cannot count " + metric.name() + ": it is a " + metric.kind() + ".");
        }
        LongAdder adder = new LongAdder();
        boolean isTime = metric.unit() == Unit.MILLISECONDS;
        publish(metric, isTime ? () -> adder.sum() / NANOS_PER_MILLISECOND : adder::sum);
        return adder::add;
    }

    /**
     * A gauge of the front door, published together with those of the engine. Add it before the
     * metrics are published.
     *
     * @param value returns the current value in the metric's unit; called by any thread, and must
     *     not block
     * @throws IllegalArgumentException the metric is not a gauge, or its name is taken
     */
    public void gauge(Metric metric, DoubleSupplier value) {
        if (metric.kind() != Kind.GAUGE) {
            throw new IllegalArgumentException("Cannot show " + metric.name() + ": it is a " + metric.kind() + ".");
        }
        publish(metric, value);
    }

    private synchronized void publish(Metric metric, DoubleSupplier value) {
        if (metrics().stream().anyMatch(other -> other.name().equals(metric.name()))) {
            throw new IllegalArgumentException(
                    "Cannot publish metric " + metric.name() + ": there is one of that name.");
        }
        Map<Metric, DoubleSupplier> all = new LinkedHashMap<>(added);
        all.put(metric, value);
        added = Collections.unmodifiableMap(all);
    }

    /** All metrics of this instance: {@link #all()}, then those of its front door. */
    public List<Metric> metrics() {
        List<Metric> metrics = new ArrayList<>(readings.keySet());
        metrics.addAll(added.keySet());
        return Collections.unmodifiableList(metrics);
    }

    /** The current value of a counter, in nanoseconds for counters of time. */
    public long value(Counter counter) {
        return of(counters, counter).sum();
    }

    /** Records one duration in nanoseconds. */
    public void record(Latency latency, long nanos) {
        of(latencies, latency).record(nanos);
        Total total = of(totals, latency);
        total.durations.record(nanos);
        total.nanos.add(nanos);
        for (LongConsumer listener : total.listeners) {
            listener.accept(nanos);
        }
    }

    /**
     * Passes every duration that is recorded from now on to a listener, in nanoseconds, until the
     * registration ends. For registries with their own distributions.
     *
     * @param listener called by any thread, and must neither block nor throw
     */
    public Registration listen(Latency latency, LongConsumer listener) {
        Total total = of(totals, latency);
        // A new object, so that the end of one registration does not end another one of the same
        // listener.
        LongConsumer own = listener::accept;
        total.add(own);
        return () -> total.remove(own);
    }

    /** Records that a request to the store failed, even if a retry succeeds later. */
    public void failed(Throwable failure) {
        store.failed(failure);
    }

    /** Records that the store answered a request. */
    public void answered() {
        store.answered();
    }

    /** The last request to the store that failed; empty if none has failed. */
    public Optional<LastFailure> lastFailure() {
        return store.lastFailure();
    }

    /** A copy of the durations that currently count. */
    public Distribution distribution(Latency latency) {
        return of(latencies, latency).recent();
    }

    /**
     * For each bound, in milliseconds, counts the durations since the start up to that bound. The
     * counts are exact to 3 % of the bound.
     */
    Durations sinceStart(Latency latency, long[] boundsMillis) {
        Total total = of(totals, latency);
        long[] upTo = new long[boundsMillis.length];
        long sum = total.nanos.sum();
        long count = total.durations.countUpTo(boundsMillis, upTo);
        return new Durations(upTo, count, sum);
    }

    /**
     * Adds a part's share to a gauge until the registration ends.
     *
     * @param value returns the current value; called by any thread, and must not block
     */
    public Registration report(Gauge gauge, LongSupplier value) {
        // A new object, so that the end of one registration does not end another one of the same
        // supplier.
        LongSupplier part = value::getAsLong;
        List<LongSupplier> parts = of(gauges, gauge);
        parts.add(part);
        return () -> parts.remove(part);
    }

    /** The current value of a gauge: the sum over all parts that report it. */
    public long value(Gauge gauge) {
        long sum = 0;
        for (LongSupplier part : of(gauges, gauge)) {
            sum += part.getAsLong();
        }
        return sum;
    }

    /**
     * Sets the instance's zone. From then on its bytes to and from the store are part of the
     * {@link #flows()}.
     */
    public void locate(Zone zone) {
        flows.show(Flow.toStore(zone), of(counters, Counter.BYTES_SENT)::sum);
        flows.show(Flow.fromStore(zone), of(counters, Counter.BYTES_FETCHED)::sum);
    }

    /** The bytes between zones, and to and from the store. */
    public PayloadFlows flows() {
        return flows;
    }

    /**
     * All metrics of the engine in a fixed order: counters, gauges, then four quantiles per
     * latency. Excludes {@link #flows()}, which differ between instances.
     */
    public static List<Metric> all() {
        List<Metric> all = new ArrayList<>(new ShuffleMetrics().readings.keySet());
        return Collections.unmodifiableList(all);
    }

    /** The current value of one of {@link #metrics()}, in its unit. */
    public double value(Metric metric) {
        DoubleSupplier own = added.get(metric);
        return (own == null ? of(readings, metric) : own).getAsDouble();
    }

    /** Whether this instance has a metric. */
    boolean has(Metric metric) {
        return readings.containsKey(metric) || added.containsKey(metric);
    }

    /**
     * Passes every metric and its current value to a visitor, in the order of {@link #metrics()}.
     */
    public void forEach(Visitor visitor) {
        readings.forEach((metric, value) -> visitor.visit(metric, value.getAsDouble()));
        added.forEach((metric, value) -> visitor.visit(metric, value.getAsDouble()));
    }

    static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Metric metric(Latency latency, Quantile quantile) {
        return new Metric(
                nameOf(latency) + "-" + quantile.suffix(),
                Kind.QUANTILE,
                Unit.MILLISECONDS,
                latency.doc() + ": " + quantile.doc() + " of the last 30 to 60 seconds.");
    }

    private static <K, V> V of(Map<K, V> map, K key) {
        V value = map.get(key);
        if (value == null) {
            throw new IllegalArgumentException(
                    "Cannot find metric " + key + ": it is not one of ShuffleMetrics.all().");
        }
        return value;
    }

    /** All durations of one latency since the start. */
    private static final class Total {
        private final Distribution durations = new Distribution();
        private final LongAdder nanos = new LongAdder();

        /** Never changed in place, so that recording takes no lock and allocates nothing. */
        private volatile LongConsumer[] listeners = {};

        private synchronized void add(LongConsumer listener) {
            LongConsumer[] all = Arrays.copyOf(listeners, listeners.length + 1);
            all[listeners.length] = listener;
            listeners = all;
        }

        private synchronized void remove(LongConsumer listener) {
            listeners =
                    Arrays.stream(listeners).filter(each -> each != listener).toArray(LongConsumer[]::new);
        }
    }

    /**
     * Counted durations.
     *
     * @param upTo the number of durations up to each bound
     * @param count the number of all durations
     * @param sumNanos their sum; may lack the very last ones
     */
    @SuppressWarnings("ArrayRecordComponent") // Passed on, never compared.
    record Durations(long[] upTo, long count, long sumNanos) {}

    /** Receives metrics with their current values. */
    @FunctionalInterface
    public interface Visitor {
        /** Receives one metric and its value in the metric's unit. */
        void visit(Metric metric, double value);
    }

    /** A registration with the metrics, such as a part's share in a gauge. */
    @FunctionalInterface
    public interface Registration extends AutoCloseable {
        /** Ends the registration. Idempotent. */
        @Override
        void close();
    }
}
