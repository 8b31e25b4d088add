package dev.blobshuffle.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.instance.RunningInstance;
import dev.blobshuffle.core.internal.instance.RunningInstances;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Flow;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.LabelledMetrics;
import dev.blobshuffle.core.internal.metrics.Latency;
import dev.blobshuffle.core.internal.metrics.PrometheusText;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics.Registration;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BlobShuffleMetricsTest {
    private final SystemTime time = new SystemTime();
    private final ShuffleMetrics metrics = new ShuffleMetrics();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final BlobShuffleMetrics binder = new BlobShuffleMetrics();

    @AfterEach
    void close() {
        binder.close();
        time.close();
        assertThat(RunningInstances.all()).isEmpty();
    }

    private Registration open(ShuffleMetrics of, Map<String, String> labels) {
        return RunningInstances.add(new RunningInstance(
                new LabelledMetrics(labels, of),
                new MemoryBlobStore("metrics", 1 << 20),
                Membership.none(),
                time,
                Optional.empty()));
    }

    /** Names and labels of the samples of a page, without buckets, which an application chooses. */
    private static Set<String> series(String page) {
        return page.lines()
                .filter(line -> line.startsWith("blobshuffle_") && !line.contains("_bucket{"))
                .map(line -> line.substring(0, line.indexOf('}') + 1))
                .collect(Collectors.toSet());
    }

    @Test
    void prometheusSeesTheNamesOfOurEndpoint() {
        Map<String, String> labels = Map.of("application", "orders", "client", "c", "engine", "1", "zone", "a");
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        metrics.locate(new Zone("a"));
        binder.bindTo(prometheus);
        try (Registration ignored = open(metrics, labels)) {
            Set<String> shown = series(prometheus.scrape());
            assertThat(shown)
                    .containsAll(sorted(PrometheusText.of(List.of(new LabelledMetrics(labels, metrics)))))
                    .contains(
                            "blobshuffle_put_latency_seconds_count{application=\"orders\",client=\"c\",engine=\"1\",zone=\"a\"}");
        }
    }

    /** Our endpoint keeps the order of labels that it was given, Prometheus' client sorts them. */
    private static Set<String> sorted(String page) {
        return series(page).stream()
                .map(series -> {
                    int brace = series.indexOf('{');
                    return Arrays.stream(series.substring(brace + 1, series.length() - 1)
                                    .split(","))
                            .sorted()
                            .collect(Collectors.joining(",", series.substring(0, brace + 1), "}"));
                })
                .collect(Collectors.toSet());
    }

    @Test
    void metersShowTheValuesOfTheInstanceInBaseUnits() {
        binder.bindTo(registry);
        try (Registration ignored = open(metrics, Map.of("application", "orders", "engine", "1"))) {
            metrics.add(Counter.BLOBS_STORED, 3);
            metrics.add(Counter.APPEND_BLOCKED_TIME, TimeUnit.MILLISECONDS.toNanos(2_500));
            metrics.report(Gauge.WRITE_BUFFER_USED, () -> 77);
            metrics.report(Gauge.STORE_COST, () -> 1_500_000);
            metrics.report(Gauge.OLDEST_NEEDED_AGE, () -> 4_000);

            assertThat(registry.get("blobshuffle.blobs.stored")
                            .tags("application", "orders", "client", "none", "engine", "1", "zone", "none")
                            .functionCounter()
                            .count())
                    .isEqualTo(3);
            assertThat(registry.get("blobshuffle.append.blocked.time")
                            .functionCounter()
                            .count())
                    .isEqualTo(2.5);
            assertThat(registry.get("blobshuffle.store.cost").functionCounter().count())
                    .isEqualTo(1.5);
            assertThat(registry.get("blobshuffle.write.buffer.used").gauge().value())
                    .isEqualTo(77);
            assertThat(registry.get("blobshuffle.oldest.needed.age").timeGauge().value(TimeUnit.SECONDS))
                    .isEqualTo(4);
        }
    }

    @Test
    void latenciesAreTimersThatTheApplicationConfigures() {
        binder.bindTo(registry);
        Timer timer;
        try (Registration ignored = open(metrics, Map.of("engine", "1"))) {
            metrics.record(Latency.PUT_LATENCY, TimeUnit.MILLISECONDS.toNanos(30));
            timer = registry.get("blobshuffle.put.latency").timer();
            assertThat(timer.count()).isOne();
            assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(30);
        }

        metrics.record(Latency.PUT_LATENCY, 1);
        assertThat(timer.count()).as("a closed instance feeds no timer").isOne();
    }

    @Test
    void metersComeAndGoWithTheirInstance() {
        try (Registration first = open(metrics, Map.of("engine", "1"))) {
            binder.bindTo(registry);
            binder.bindTo(registry);
            int ofOne = registry.getMeters().size();
            assertThat(ofOne).isGreaterThan(ShuffleMetrics.all().size());
            Registration second = open(new ShuffleMetrics(), Map.of("engine", "2"));
            assertThat(registry.getMeters()).hasSize(2 * ofOne);

            second.close();
            second.close();
            assertThat(registry.getMeters())
                    .hasSize(ofOne)
                    .allSatisfy(
                            meter -> assertThat(meter.getId().getTag("engine")).isEqualTo("1"));
            first.close();
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    @Test
    void aClosedBinderLeavesNothingBehind() {
        try (Registration ignored = open(metrics, Map.of("engine", "1"))) {
            binder.bindTo(registry);
            binder.close();
            assertThat(registry.getMeters()).isEmpty();
            try (Registration later = open(new ShuffleMetrics(), Map.of("engine", "2"))) {
                assertThat(registry.getMeters()).isEmpty();
            }
        }
    }

    @Test
    void bytesOfAZoneAppearWhenTheZoneBecomesKnown() {
        binder.bindTo(registry);
        try (Registration ignored = open(metrics, Map.of("engine", "1"))) {
            metrics.flows().add(Flow.between(new Zone("a"), new Zone("b")), 9);
            assertThat(registry.get("blobshuffle.payload.bytes")
                            .tags("from", "a", "to", "b")
                            .functionCounter()
                            .count())
                    .isEqualTo(9);
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void aRegistryThatRefusesAMeterKeepsNoInstanceFromStarting() {
        PrometheusMeterRegistry strict = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        strict.throwExceptionOnRegistrationFailure();
        io.micrometer.core.instrument.Gauge.builder("blobshuffle.lag.records", () -> 1)
                .register(strict);
        binder.bindTo(strict);
        try (Registration ignored = open(metrics, Map.of("engine", "1"))) {
            assertThat(strict.scrape()).contains("blobshuffle_puts_total{").contains("blobshuffle_lag_records 1.0");
        }
    }
}
