package dev.blobshuffle.core.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks the text against the grammar of the format, version 0.0.4, and the naming conventions. */
class PrometheusTextTest {
    private static final Pattern HELP =
            Pattern.compile("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (?:[^\\\\]|\\\\\\\\|\\\\n)+");
    private static final Pattern TYPE = Pattern.compile("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)");
    private static final String LABEL = "[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\n]|\\\\\\\\|\\\\\"|\\\\n)*\"";
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{" + LABEL + "(?:," + LABEL
            + ")*})? ([+-]?(?:Inf|\\d+(?:\\.\\d+)?(?:E-?\\d+)?)|NaN)");

    private final ShuffleMetrics metrics = new ShuffleMetrics();

    private static Map<String, String> samples(String text) {
        assertThat(text).endsWith("\n").doesNotContain("\r", "\n\n");
        Map<String, String> samples = new TreeMap<>();
        Set<String> families = new HashSet<>();
        String family = "";
        String type = "";
        for (String line : text.split("\n")) {
            Matcher help = HELP.matcher(line);
            Matcher kind = TYPE.matcher(line);
            Matcher sample = SAMPLE.matcher(line);
            if (help.matches()) {
                family = help.group(1);
                assertThat(families.add(family)).as("one family " + family).isTrue();
            } else if (kind.matches()) {
                assertThat(kind.group(1)).as("TYPE follows HELP").isEqualTo(family);
                type = kind.group(2);
                assertThat(family.endsWith("_total")).as(family).isEqualTo(type.equals("counter"));
            } else {
                assertThat(sample.matches()).as(line).isTrue();
                String name = sample.group(1);
                assertThat(type.equals("histogram") ? name.replaceFirst("_(bucket|sum|count)$", "") : name)
                        .isEqualTo(family);
                String series = name + (sample.group(2) == null ? "" : sample.group(2));
                assertThat(samples.put(series, sample.group(3))).as(series).isNull();
            }
        }
        return samples;
    }

    @Test
    void everyMetricIsThereInBaseUnits() {
        metrics.add(Counter.BYTES_APPENDED, 7_000_000_000_000L);
        metrics.add(Counter.APPEND_BLOCKED_TIME, 2_500_000);
        metrics.report(Gauge.WRITE_BUFFER_USED, () -> 5);
        metrics.report(Gauge.STORE_COST, () -> 9);
        metrics.record(Latency.PUT_LATENCY, TimeUnit.MILLISECONDS.toNanos(9));
        Map<String, String> samples = samples(PrometheusText.of(List.of(LabelledMetrics.alone(metrics))));
        for (Metric metric : ShuffleMetrics.all()) {
            assertThat(samples).containsKey(PrometheusText.name(metric));
        }
        assertThat(samples)
                .containsEntry("blobshuffle_bytes_appended_total", "7000000000000")
                .containsEntry("blobshuffle_append_blocked_time_seconds_total", "0.0025")
                .containsEntry("blobshuffle_write_buffer_used_bytes", "5")
                .containsEntry("blobshuffle_store_cost_dollars_total", "9.0E-6")
                .containsEntry("blobshuffle_put_latency_max_seconds", "0.009")
                .containsEntry("blobshuffle_put_latency_seconds_sum", "0.009")
                .containsEntry("blobshuffle_put_latency_seconds_count", "1");
    }

    @Test
    void namesFollowTheConventions() {
        List<Metric> all = new ArrayList<>(ShuffleMetrics.all());
        for (KeyParallelMetric metric : KeyParallelMetric.values()) {
            all.add(metric.metric());
        }
        assertThat(all)
                .extracting(PrometheusText::name)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("blobshuffle(_[a-z0-9]+)+"))
                .noneMatch(name -> name.matches(".*_(ms|millis|milliseconds|counter|gauge|histogram|kb|mb)(_.*)?"));
    }

    @Test
    void bucketsOfAHistogramOnlyRise() {
        long[] millis = {0, 1, 3, 40, 40, 420, 1_400, 70_000, 5_000_000};
        for (long duration : millis) {
            metrics.record(Latency.GET_LATENCY, TimeUnit.MILLISECONDS.toNanos(duration));
        }
        String text = PrometheusText.of(List.of(LabelledMetrics.alone(metrics)));
        List<Long> counts = new ArrayList<>();
        double last = -1;
        Matcher bucket = Pattern.compile("blobshuffle_get_latency_seconds_bucket\\{le=\"([^\"]+)\"} (\\d+)")
                .matcher(text);
        while (bucket.find()) {
            double bound =
                    bucket.group(1).equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(bucket.group(1));
            assertThat(bound).isGreaterThan(last);
            last = bound;
            counts.add(Long.parseLong(bucket.group(2)));
        }
        assertThat(last).isInfinite();
        assertThat(counts).isSorted().endsWith(7L, 9L);
        assertThat(samples(text))
                .containsEntry("blobshuffle_get_latency_seconds_bucket{le=\"0.005\"}", "3")
                .containsEntry("blobshuffle_get_latency_seconds_bucket{le=\"0.05\"}", "5")
                .containsEntry("blobshuffle_get_latency_seconds_bucket{le=\"0.5\"}", "6")
                .containsEntry("blobshuffle_get_latency_seconds_count", "9");
    }

    @Test
    void enginesStandTogetherAndKeepTheirLabels() {
        ShuffleMetrics other = new ShuffleMetrics();
        metrics.add(Counter.PUTS, 1);
        other.add(Counter.PUTS, 2);
        Map<String, String> samples = samples(PrometheusText.of(List.of(
                LabelledMetrics.alone(metrics).with("engine", Optional.of("1")),
                LabelledMetrics.alone(other)
                        .with("engine", Optional.of("2"))
                        .with("application", Optional.of("a \"b\" \\ c\nd"))
                        .with("client", Optional.empty()))));
        assertThat(samples)
                .containsEntry("blobshuffle_puts_total{engine=\"1\"}", "1")
                .containsEntry("blobshuffle_puts_total{engine=\"2\",application=\"a \\\"b\\\" \\\\ c\\nd\"}", "2");
    }

    @Test
    void bytesBetweenZonesHaveAPairOfLabelsAndAreShownBeforeThereAreAny() {
        Zone a = new Zone("a");
        metrics.locate(a);
        metrics.add(Counter.BYTES_SENT, 7);
        metrics.flows().show(Flow.between(new Zone("b"), a));
        metrics.flows().add(Flow.between(a, a), 5);
        Map<String, String> samples =
                samples(PrometheusText.of(List.of(LabelledMetrics.alone(metrics).with("engine", Optional.of("1")))));
        assertThat(samples)
                .containsEntry("blobshuffle_payload_bytes_total{engine=\"1\",from=\"a\",to=\"store\"}", "7")
                .containsEntry("blobshuffle_payload_bytes_total{engine=\"1\",from=\"store\",to=\"a\"}", "0")
                .containsEntry("blobshuffle_payload_bytes_total{engine=\"1\",from=\"a\",to=\"a\"}", "5")
                .containsEntry("blobshuffle_payload_bytes_total{engine=\"1\",from=\"b\",to=\"a\"}", "0");
    }

    private static LabelledNumbers node(String name, KeyParallelMetric metric, DoubleSupplier value) {
        return new LabelledNumbers(Map.of("node", name), Map.of(metric.metric(), value));
    }

    @Test
    void partsShareTheHeadOfAMetricAndComeInBaseUnits() {
        String text = PrometheusText.of(
                List.of(),
                List.of(
                        node("geo", KeyParallelMetric.CALL_TIME, () -> 1500),
                        node("geo", KeyParallelMetric.OLDEST_PENDING, () -> 250),
                        node("score", KeyParallelMetric.CALL_TIME, () -> 3000)));
        assertThat(samples(text))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "blobshuffle_keyparallel_call_time_seconds_total{node=\"geo\"}", "1.5",
                        "blobshuffle_keyparallel_call_time_seconds_total{node=\"score\"}", "3",
                        "blobshuffle_keyparallel_oldest_pending_seconds{node=\"geo\"}", "0.25"));
    }

    @Test
    void withoutAnEngineThereIsNothingOfEngines() {
        assertThat(PrometheusText.of(List.of(), List.of(node("geo", KeyParallelMetric.CALLS, () -> 1)))
                        .lines())
                .containsExactly(
                        "# HELP blobshuffle_keyparallel_calls_total Calls that ended.",
                        "# TYPE blobshuffle_keyparallel_calls_total counter",
                        "blobshuffle_keyparallel_calls_total{node=\"geo\"} 1");
        assertThat(PrometheusText.of(List.of())).isEmpty();
    }

    @Test
    void engineAndPartsStandOnOnePage() {
        metrics.add(Counter.PUTS, 1);
        LabelledNumbers node = node("geo", KeyParallelMetric.CALLS, () -> 2);
        LabelledNumbers other = new LabelledNumbers(Map.of("node", "score"), Map.of(Counter.PUTS.metric(), () -> 3));
        assertThat(samples(PrometheusText.of(List.of(LabelledMetrics.alone(metrics)), List.of(node, other))))
                .containsEntry("blobshuffle_puts_total", "1")
                .containsEntry("blobshuffle_puts_total{node=\"score\"}", "3")
                .containsEntry("blobshuffle_keyparallel_calls_total{node=\"geo\"}", "2")
                .containsKey("blobshuffle_put_latency_seconds_count");
    }

    /** The task of the part closes, or opens in another thread. */
    @Test
    void partThatFailsOrIsThereTwiceLeavesThePageWhole() {
        LabelledNumbers failing = node("closing", KeyParallelMetric.CALLS, () -> {
            throw new IllegalStateException("closed");
        });
        assertThat(samples(PrometheusText.of(
                        List.of(),
                        List.of(
                                failing,
                                node("geo", KeyParallelMetric.CALLS, () -> 7),
                                node("geo", KeyParallelMetric.CALLS, () -> 1)))))
                .containsExactlyEntriesOf(Map.of("blobshuffle_keyparallel_calls_total{node=\"geo\"}", "1"));
    }

    @Test
    void labelsHaveNamesThatPrometheusTakes() {
        assertThatThrownBy(() -> new LabelledNumbers(Map.of("task-id", "0_0"), Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'task-id'");
        assertThatThrownBy(() -> LabelledMetrics.alone(metrics).with("client-id", Optional.of("x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'client-id'");
    }
}
