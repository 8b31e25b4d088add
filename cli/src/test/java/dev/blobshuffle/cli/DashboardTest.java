package dev.blobshuffle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.KeyParallelMetric;
import dev.blobshuffle.core.internal.metrics.Latency;
import dev.blobshuffle.core.internal.metrics.Metric;
import dev.blobshuffle.core.internal.metrics.PayloadFlows;
import dev.blobshuffle.core.internal.metrics.PrometheusText;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Checks that the Grafana dashboard uses existing metrics, each according to its type. */
class DashboardTest {
    private static final Pattern METRIC = Pattern.compile("\\bblobshuffle_[a-z0-9_]+");
    private static final Pattern RATED = Pattern.compile("(?:rate|increase)\\((blobshuffle_[a-z0-9_]+)");

    private static JsonNode dashboard() throws IOException {
        return new ObjectMapper()
                .readTree(Path.of("..", "dashboards", "blobshuffle.json").toFile());
    }

    private static List<String> queries() throws IOException {
        List<String> queries = new ArrayList<>();
        for (JsonNode panel : dashboard().path("panels")) {
            panel.path("targets")
                    .forEach(target -> queries.add(target.path("expr").asText()));
        }
        return queries;
    }

    private static Set<String> asked(String query) {
        Set<String> asked = new HashSet<>();
        METRIC.matcher(query).results().forEach(found -> asked.add(found.group()));
        return asked;
    }

    private static Set<String> names(Metric.Kind... kinds) {
        Set<String> names = new HashSet<>();
        for (Metric metric : ShuffleMetrics.all()) {
            if (List.of(kinds).contains(metric.kind())) {
                names.add(PrometheusText.name(metric));
            }
        }
        return names;
    }

    /** Metrics of key-parallel processing. They have no zone label. */
    private static Set<String> ofSlowFunctions(Metric.Kind... kinds) {
        return Arrays.stream(KeyParallelMetric.values())
                .map(KeyParallelMetric::metric)
                .filter(metric -> List.of(kinds).contains(metric.kind()))
                .map(PrometheusText::name)
                .collect(Collectors.toSet());
    }

    private static Set<String> histograms() {
        Set<String> names = new HashSet<>();
        for (Latency latency : Latency.values()) {
            for (String part : List.of("_bucket", "_sum", "_count")) {
                names.add(PrometheusText.name(latency) + part);
            }
        }
        return names;
    }

    @Test
    void itAsksForMetricsThatExist() throws IOException {
        Set<String> known = names(Metric.Kind.values());
        known.addAll(ofSlowFunctions(Metric.Kind.values()));
        known.addAll(histograms());
        known.add(PrometheusText.name(PayloadFlows.METRIC));
        List<String> queries = queries();
        assertThat(queries).hasSizeGreaterThan(50).allSatisfy(query -> {
            Set<String> asked = asked(query);
            assertThat(asked).as(query).isNotEmpty();
            assertThat(known).as(query).containsAll(asked);
        });
    }

    @Test
    void ratesAreThoseOfCountersAndCountersHaveNothingElse() throws IOException {
        Set<String> rising = names(Metric.Kind.COUNTER);
        rising.addAll(ofSlowFunctions(Metric.Kind.COUNTER));
        rising.addAll(histograms());
        rising.add(PrometheusText.name(PayloadFlows.METRIC));
        for (String query : queries()) {
            Set<String> rated = new HashSet<>();
            Matcher matcher = RATED.matcher(query);
            while (matcher.find()) {
                rated.add(matcher.group(1));
            }
            Set<String> asked = asked(query);
            asked.retainAll(rising);
            assertThat(rated).as(query).isEqualTo(asked);
        }
    }

    @Test
    void whatTellsOfTroubleIsShown() throws IOException {
        String all = String.join("\n", queries());
        for (Counter counter : List.of(
                Counter.PUT_FAILURES,
                Counter.GET_FAILURES,
                Counter.OTHER_FAILURES,
                Counter.UPLOAD_FAILURES,
                Counter.FETCHES_CORRUPT,
                Counter.REQUESTS_THROTTLED,
                Counter.REQUESTS_TIMED_OUT,
                Counter.STORE_RETRIES,
                Counter.STORE_OUTAGES,
                Counter.BYTES_FALLBACK,
                Counter.BLOBS_ORPHANED,
                Counter.SWEEP_FAILURES,
                Counter.CACHE_DISK_FAILURES,
                Counter.CACHE_ZONE_FAILURES,
                Counter.CROSS_ZONE_BYTES,
                Counter.PEER_REFUSALS)) {
            assertThat(all).contains(PrometheusText.name(counter.metric()));
        }
    }

    @Test
    void applicationsWithOnlyEnginesOrOnlySlowFunctionsCanBeChosen() throws IOException {
        JsonNode variable = dashboard().at("/templating/list/1");
        assertThat(variable.path("name").asText()).isEqualTo("application");
        assertThat(variable.path("definition").asText())
                .isEqualTo(variable.at("/query/query").asText());
        Set<String> sources = asked(variable.path("definition").asText());
        assertThat(sources).hasSize(2);
        assertThat(sources).filteredOn(names(Metric.Kind.GAUGE)::contains).hasSize(1);
        assertThat(sources)
                .filteredOn(ofSlowFunctions(Metric.Kind.GAUGE)::contains)
                .hasSize(1);
    }

    @Test
    void whatSlowsFunctionsDownIsShown() throws IOException {
        String all = String.join("\n", queries());
        for (KeyParallelMetric metric : KeyParallelMetric.values()) {
            if (metric.name().startsWith("LIMITED_BY_") || metric.name().endsWith("_TIME")) {
                assertThat(all).contains(PrometheusText.name(metric.metric()));
            }
        }
    }

    @Test
    void panelsSayWhatTheyShowAndTakeTheChosenSource() throws IOException {
        Set<Integer> ids = new HashSet<>();
        for (JsonNode panel : dashboard().path("panels")) {
            assertThat(ids.add(panel.path("id").asInt())).isTrue();
            assertThat(panel.path("title").asText()).isNotBlank();
            if (panel.path("type").asText().equals("row")) {
                continue;
            }
            assertThat(panel.path("description").asText())
                    .as(panel.path("title").asText())
                    .endsWith(".");
            assertThat(panel.at("/datasource/uid").asText()).isEqualTo("${datasource}");
            assertThat(panel.path("targets")).isNotEmpty();
            for (JsonNode target : panel.path("targets")) {
                String query = target.path("expr").asText();
                String[] filters = ofSlowFunctions(Metric.Kind.values()).containsAll(asked(query))
                        ? new String[] {"{application=~\"$application\"}"}
                        : new String[] {"application=~\"$application\"", "zone=~\"$zone\""};
                assertThat(query).contains(filters);
                for (String pair : List.of("()", "{}", "[]")) {
                    assertThat(count(query, pair.charAt(0))).as(query).isEqualTo(count(query, pair.charAt(1)));
                }
            }
        }
    }

    private static long count(String text, char wanted) {
        return text.chars().filter(character -> character == wanted).count();
    }
}
