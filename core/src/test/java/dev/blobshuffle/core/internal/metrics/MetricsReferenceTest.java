package dev.blobshuffle.core.internal.metrics;

import dev.blobshuffle.core.GeneratedPage;
import java.io.IOException;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class MetricsReferenceTest {
    @Test
    void theReferenceSaysWhatTheConstantsSay() throws IOException {
        StringBuilder page = new StringBuilder("""
                # Metrics

                Every instance reports these metrics. [Monitoring](guides/monitoring.md) shows how each front door publishes them. Quantiles cover the last 30 to 60 seconds.
                Prometheus metrics use seconds, bytes and dollars. Latencies are also histograms since the start: `NAME_bucket`, `NAME_sum`, `NAME_count`.
                This page is generated from the constants in `Counter`, `Gauge`, `Latency`, `PayloadFlows` and `KeyParallelMetric`.
                [Slow functions](#slow-functions) have metrics of their own. The Flight daemon reports others: [its guide](guides/flight.md#metrics) has them.

                | Name | Kind | Unit | Meaning | Prometheus |
                |---|---|---|---|---|
                """);
        for (Metric metric : ShuffleMetrics.all()) {
            append(page, metric.name(), metric);
        }
        Metric flows = PayloadFlows.METRIC;
        page.append("| `%s` | counter | bytes | %s Tags or labels: `from`, `to`. | `%s` |%n"
                .formatted(flows.name(), GeneratedPage.cell(flows.doc()), PrometheusText.name(flows)));
        for (Latency latency : Latency.values()) {
            page.append("| - | histogram | seconds | ")
                    .append(GeneratedPage.cell(latency.doc()))
                    .append(". | `")
                    .append(PrometheusText.name(latency))
                    .append("` |\n");
        }
        page.append("""

                ## Slow functions

                Each node of [key-parallel processing](guides/key-parallel.md) reports these for each of its tasks. Names are those in `stream-keyparallel-metrics` (JMX `kafka.streams`). Totals count from the time at which the task was opened.

                | Name | Kind | Unit | Meaning | Prometheus |
                |---|---|---|---|---|
                """);
        for (KeyParallelMetric metric : KeyParallelMetric.values()) {
            append(page, metric.kafkaName(), metric.metric());
        }
        GeneratedPage.check("metrics.md", MetricsReferenceTest.class, page.toString());
    }

    private static void append(StringBuilder page, String name, Metric metric) {
        page.append("| `")
                .append(name)
                .append("` | ")
                .append(metric.kind().name().toLowerCase(Locale.ROOT))
                .append(" | ")
                .append(metric.unit().name().toLowerCase(Locale.ROOT))
                .append(" | ")
                .append(GeneratedPage.cell(metric.doc()))
                .append(" | `")
                .append(PrometheusText.name(metric))
                .append("` |\n");
    }
}
