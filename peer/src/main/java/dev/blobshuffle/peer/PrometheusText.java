package dev.blobshuffle.peer;

import dev.blobshuffle.core.metrics.Metric;
import dev.blobshuffle.core.metrics.ShuffleMetrics;
import java.util.Locale;

/** All metrics of an instance in the text format of Prometheus, version 0.0.4. Stateless. */
final class PrometheusText {
    static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private PrometheusText() {}

    static String of(ShuffleMetrics metrics) {
        StringBuilder text = new StringBuilder();
        for (Metric metric : ShuffleMetrics.all()) {
            boolean isCounter = metric.kind() == Metric.Kind.COUNTER;
            String name = "blobshuffle_" + metric.name().replace('-', '_') + unit(metric) + (isCounter ? "_total" : "");
            text.append("# HELP ")
                    .append(name)
                    .append(' ')
                    .append(escaped(metric.doc()))
                    .append('\n');
            text.append("# TYPE ").append(name).append(isCounter ? " counter\n" : " gauge\n");
            text.append(name).append(' ').append(number(metrics.value(metric))).append('\n');
        }
        return text.toString();
    }

    private static String unit(Metric metric) {
        return metric.unit() == Metric.Unit.MILLISECONDS ? "_ms" : "";
    }

    private static String escaped(String doc) {
        return doc.replace("\\", "\\\\").replace("\n", "\\n");
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : String.format(Locale.ROOT, "%.3f", value);
    }
}
