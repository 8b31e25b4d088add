package dev.blobshuffle.core.metrics;

import dev.blobshuffle.core.GeneratedPage;
import java.io.IOException;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class MetricsReferenceTest {
    @Test
    void theReferenceSaysWhatTheConstantsSay() throws IOException {
        StringBuilder page = new StringBuilder("""
                # Metrics

                What an instance counts and times. Each front door publishes all of them its own way. Quantiles are over the last 30 to 60 seconds.
                This page is generated from the constants in `Counter`, `Gauge` and `Latency`.

                | Name | Kind | Unit | Meaning |
                |---|---|---|---|
                """);
        for (Metric metric : ShuffleMetrics.all()) {
            page.append("| `")
                    .append(metric.name())
                    .append("` | ")
                    .append(metric.kind().name().toLowerCase(Locale.ROOT))
                    .append(" | ")
                    .append(metric.unit().name().toLowerCase(Locale.ROOT))
                    .append(" | ")
                    .append(GeneratedPage.cell(metric.doc()))
                    .append(" |\n");
        }
        GeneratedPage.check("metrics.md", MetricsReferenceTest.class, page.toString());
    }
}
