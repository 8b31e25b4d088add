package dev.blobshuffle.core.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.metrics.Metric.Kind;
import dev.blobshuffle.core.internal.metrics.Metric.Unit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/** The metrics of a front door are published like those of the engine. */
class FrontDoorMetricsTest {
    private static final Metric PUBLISHED =
            new Metric("messages-published", Kind.COUNTER, Unit.RECORDS, "Messages that were published.");
    private static final Metric WAITED =
            new Metric("lease-wait-time", Kind.COUNTER, Unit.MILLISECONDS, "Time that was waited for leases.");
    private static final Metric LEASES = new Metric("leases-held", Kind.GAUGE, Unit.OCCURRENCES, "Leases held.");

    private final ShuffleMetrics metrics = new ShuffleMetrics();

    @Test
    void countersAndGaugesComeOutBesideThoseOfTheEngine() {
        LongConsumer published = metrics.counter(PUBLISHED);
        LongConsumer waited = metrics.counter(WAITED);
        AtomicInteger leases = new AtomicInteger();
        metrics.gauge(LEASES, leases::get);
        published.accept(3);
        published.accept(4);
        waited.accept(1_500_000);
        leases.set(5);

        Map<String, Double> seen = new TreeMap<>();
        metrics.forEach((metric, value) -> seen.put(metric.name(), value));
        assertThat(seen)
                .hasSize(ShuffleMetrics.all().size() + 3)
                .containsEntry("messages-published", 7.0)
                .containsEntry("lease-wait-time", 1.5)
                .containsEntry("leases-held", 5.0);
        assertThat(metrics.metrics()).endsWith(PUBLISHED, WAITED, LEASES);
    }

    /** Two engines of one process may belong to different front doors. */
    @Test
    void prometheusShowsThemForTheEngineThatHasThem() {
        metrics.counter(PUBLISHED).accept(7);
        LabelledMetrics door = LabelledMetrics.alone(metrics).with("engine", Optional.of("1"));
        LabelledMetrics other = LabelledMetrics.alone(new ShuffleMetrics()).with("engine", Optional.of("2"));

        assertThat(PrometheusText.of(List.of(other, door)).lines())
                .contains(
                        "# TYPE blobshuffle_messages_published_total counter",
                        "blobshuffle_messages_published_total{engine=\"1\"} 7")
                .noneMatch(line -> line.startsWith("blobshuffle_messages_published_total{engine=\"2\""));
    }

    @Test
    void aNameIsTakenOnce() {
        LongConsumer ignored = metrics.counter(PUBLISHED);
        assertThatThrownBy(() -> metrics.counter(PUBLISHED)).isInstanceOf(IllegalArgumentException.class);
        Metric puts = new Metric("puts", Kind.GAUGE, Unit.RECORDS, "Not the engine's.");
        assertThatThrownBy(() -> metrics.gauge(puts, () -> 0)).hasMessageContaining("puts");
        assertThatThrownBy(() -> metrics.counter(LEASES)).hasMessageContaining("leases-held");
        assertThatThrownBy(() -> metrics.gauge(PUBLISHED, () -> 0)).hasMessageContaining("messages-published");
    }
}
