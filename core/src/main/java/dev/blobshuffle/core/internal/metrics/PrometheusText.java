package dev.blobshuffle.core.internal.metrics;

import dev.blobshuffle.core.internal.metrics.Metric.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metrics in the text format of Prometheus, version 0.0.4. Every metric has one name ({@link
 * #name}), with base units: seconds, bytes, dollars. Latencies also appear as histograms since the
 * start, from which Prometheus computes percentiles over any time and any number of instances.
 * Stateless.
 */
public final class PrometheusText {
    /** The value of the header {@code Content-Type}. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final Logger LOG = LoggerFactory.getLogger(PrometheusText.class);
    private static final String PREFIX = "blobshuffle_";
    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * Upper bounds of the histograms in milliseconds, dense around typical times of stores and
     * commits.
     */
    private static final long[] BOUNDS_MILLIS = {
        1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000, 20_000,
        60_000
    };

    private PrometheusText() {}

    /**
     * The name of a metric in Prometheus. It ends with the unit, unless the name contains it, and
     * with {@code _total} for a counter.
     */
    public static String name(Metric metric) {
        return PREFIX
                + metric.name().replace('-', '_')
                + suffix(metric)
                + (metric.kind() == Kind.COUNTER ? "_total" : "");
    }

    /**
     * The name of a latency's histogram. Its series append {@code _bucket}, {@code _sum} and
     * {@code _count}.
     */
    public static String name(Latency latency) {
        return PREFIX + ShuffleMetrics.nameOf(latency).replace('-', '_') + "_seconds";
    }

    /**
     * The divisor from the metric's unit to the shown unit: 1000 for milliseconds, which are shown
     * as seconds.
     */
    public static double divisor(Metric metric) {
        return switch (metric.unit()) {
            case MILLISECONDS -> 1e3;
            case MICRODOLLARS -> 1e6;
            case RECORDS, BYTES, BLOBS, BATCHES, NOTIFICATIONS, REQUESTS, OCCURRENCES -> 1;
        };
    }

    private static String suffix(Metric metric) {
        return switch (metric.unit()) {
            case MILLISECONDS -> "_seconds";
            case MICRODOLLARS -> "_dollars";
            case BYTES -> metric.name().contains("bytes") ? "" : "_bytes";
            case RECORDS, BLOBS, BATCHES, NOTIFICATIONS, REQUESTS, OCCURRENCES -> "";
        };
    }

    /** All metrics of all engines, grouped by metric as the format requires. */
    public static String of(List<LabelledMetrics> engines) {
        return of(engines, List.of());
    }

    /**
     * All metrics of all engines and of other parts, grouped by metric as the format requires. If
     * two parts have the same labels and metric, the page shows the later one.
     */
    public static String of(List<LabelledMetrics> engines, List<LabelledNumbers> others) {
        StringBuilder text = new StringBuilder(64 << 10);
        for (Metric metric : metrics(engines, others)) {
            String name = name(metric);
            appendHead(text, name, metric.doc(), metric.kind() == Kind.COUNTER ? "counter" : "gauge");
            for (LabelledMetrics engine : engines) {
                if (engine.metrics().has(metric)) {
                    appendSample(
                            text,
                            name,
                            labels(engine.labels()),
                            engine.metrics().value(metric) / divisor(metric));
                }
            }
            present(metric, others)
                    .forEach((labels, value) -> appendSample(text, name, labels, value / divisor(metric)));
        }
        if (!engines.isEmpty()) {
            appendDistributions(text, engines);
        }
        return text.toString();
    }

    /** Appends the metrics of engines other than single numbers: flows and histograms. */
    private static void appendDistributions(StringBuilder text, List<LabelledMetrics> engines) {
        String flows = name(PayloadFlows.METRIC);
        appendHead(text, flows, PayloadFlows.METRIC.doc(), "counter");
        engines.forEach(engine -> appendFlows(text, flows, engine));
        for (Latency latency : Latency.values()) {
            appendHead(text, name(latency), latency.doc() + ".", "histogram");
            engines.forEach(engine -> appendHistogram(text, name(latency), engine, latency));
        }
    }

    /** Some metrics of a process that has no engine. */
    public static String of(Map<Metric, Double> values) {
        Map<Metric, DoubleSupplier> numbers = new LinkedHashMap<>();
        values.forEach((metric, value) -> numbers.put(metric, () -> value));
        return of(List.of(), List.of(new LabelledNumbers(Map.of(), numbers)));
    }

    /** The metrics of the engine, if any, then those of the front doors and of other parts. */
    private static Set<Metric> metrics(List<LabelledMetrics> engines, List<LabelledNumbers> others) {
        Set<Metric> metrics = new LinkedHashSet<>(engines.isEmpty() ? List.of() : ShuffleMetrics.all());
        engines.forEach(engine -> metrics.addAll(engine.metrics().metrics()));
        others.forEach(part -> metrics.addAll(part.numbers().keySet()));
        return metrics;
    }

    /**
     * A metric's values by labels. A task may open in one thread before another has closed it, so
     * labels may occur twice. A part that cannot answer, for example because it closes, is omitted.
     */
    private static Map<List<String>, Double> present(Metric metric, List<LabelledNumbers> parts) {
        Map<List<String>, Double> values = new LinkedHashMap<>();
        for (LabelledNumbers part : parts) {
            DoubleSupplier number = part.numbers().get(metric);
            if (number != null) {
                try {
                    values.put(labels(part.labels()), number.getAsDouble());
                } catch (RuntimeException e) {
                    LOG.debug("The page lacks {} of {}, which failed to report it.", metric.name(), part.labels(), e);
                }
            }
        }
        return values;
    }

    private static void appendHead(StringBuilder text, String name, String doc, String type) {
        text.append("# HELP ").append(name).append(' ').append(escaped(doc)).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    private static void appendFlows(StringBuilder text, String name, LabelledMetrics engine) {
        engine.metrics().flows().values().forEach((flow, bytes) -> {
            List<String> labels = new ArrayList<>(labels(engine.labels()));
            labels.add(label(Map.entry("from", flow.from())));
            labels.add(label(Map.entry("to", flow.to())));
            appendSample(text, name, labels, bytes);
        });
    }

    private static void appendHistogram(StringBuilder text, String name, LabelledMetrics engine, Latency latency) {
        ShuffleMetrics.Durations durations = engine.metrics().sinceStart(latency, BOUNDS_MILLIS);
        List<String> labels = labels(engine.labels());
        for (int i = 0; i < BOUNDS_MILLIS.length; i++) {
            List<String> bounded = new ArrayList<>(labels);
            bounded.add("le=\"" + BOUNDS_MILLIS[i] / 1e3 + '"');
            appendSample(text, name + "_bucket", bounded, durations.upTo()[i]);
        }
        List<String> unbounded = new ArrayList<>(labels);
        unbounded.add("le=\"+Inf\"");
        appendSample(text, name + "_bucket", unbounded, durations.count());
        appendSample(text, name + "_sum", labels, durations.sumNanos() / NANOS_PER_SECOND);
        appendSample(text, name + "_count", labels, durations.count());
    }

    private static List<String> labels(Map<String, String> labels) {
        return labels.entrySet().stream().map(PrometheusText::label).toList();
    }

    private static String label(Map.Entry<String, String> label) {
        return label.getKey() + "=\"" + escaped(label.getValue()).replace("\"", "\\\"") + '"';
    }

    private static void appendSample(StringBuilder text, String name, List<String> labels, double value) {
        text.append(name);
        if (!labels.isEmpty()) {
            text.append('{').append(String.join(",", labels)).append('}');
        }
        text.append(' ').append(number(value)).append('\n');
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\n", "\\n");
    }

    /**
     * Whole numbers without a fraction or exponent. For other numbers Java's format is valid in
     * Prometheus.
     */
    private static String number(double value) {
        if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        }
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
