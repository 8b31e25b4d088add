package dev.blobshuffle.kafka.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Flow;
import dev.blobshuffle.core.internal.metrics.Metric;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class KafkaMetricsBridgeTest {
    private static final Map<String, String> SETTINGS = Map.of(
            "bootstrap.servers", "127.0.0.1:9092",
            "application.id", "orders",
            "client.id", "orders-1",
            "client.rack", "zone-a",
            "sasl.jaas.config", "a secret",
            "blobshuffle.store", "memory://secret-place",
            "blobshuffle.metrics.listen", "127.0.0.1:0");

    private final ShuffleMetrics metrics = new ShuffleMetrics();

    private KafkaMetricsBridge open(Map<String, String> settings) {
        return KafkaMetricsBridge.open(metrics, KafkaSettings.parse(settings), settings);
    }

    private static String read(Endpoint endpoint) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + endpoint + "/metrics"))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void prometheusSeesWhoseMetricsTheyAreAndNothingSecret() throws Exception {
        metrics.add(Counter.PUTS, 5);
        try (KafkaMetricsBridge bridge = open(SETTINGS)) {
            String text = read(bridge.endpoint().orElseThrow());
            assertThat(text)
                    .containsPattern(
                            "blobshuffle_puts_total\\{application=\"orders\",client=\"orders-1\",engine=\"\\d+\",zone=\"zone-a\"} 5\n")
                    .doesNotContain("a secret", "secret-place");
        }
    }

    @Test
    void metricsOfTheFrontDoorAreAmongThem() throws Exception {
        metrics.counter(new Metric("tasks-moved", Metric.Kind.COUNTER, Metric.Unit.OCCURRENCES, "Tasks that moved."))
                .accept(2);
        try (KafkaMetricsBridge bridge = open(SETTINGS)) {
            assertThat(bridge.metrics().entrySet())
                    .filteredOn(entry -> entry.getKey().name().equals("tasks-moved"))
                    .singleElement()
                    .satisfies(
                            entry -> assertThat(entry.getValue().metricValue()).isEqualTo(2.0));
            assertThat(read(bridge.endpoint().orElseThrow())).contains("blobshuffle_tasks_moved_total");
        }
    }

    @Test
    void bytesBetweenZonesAreInJmxAsSoonAsAZoneIsKnown() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        metrics.flows().show(Flow.between(new Zone("a"), new Zone("a")));
        try (KafkaMetricsBridge bridge = open(SETTINGS)) {
            metrics.flows().add(Flow.between(new Zone("b"), new Zone("a")), 3);
            assertThat(bytes(server, "a")).containsExactly(0.0);
            assertThat(bytes(server, "b")).containsExactly(3.0);
            assertThat(read(bridge.endpoint().orElseThrow()))
                    .containsPattern(
                            "blobshuffle_payload_bytes_total\\{application=\"orders\",.*zone=\"zone-a\",from=\"b\",to=\"a\"} 3\n");
        }
        assertThat(bytes(server, "b")).isEmpty();
        metrics.flows().show(Flow.between(new Zone("c"), new Zone("a")));
        assertThat(bytes(server, "c")).isEmpty();
    }

    private static List<Object> bytes(MBeanServer server, String from) throws JMException {
        List<Object> bytes = new ArrayList<>();
        ObjectName pattern = new ObjectName("blobshuffle:type=blobshuffle-zone-metrics,from=" + from + ",to=a,*");
        for (ObjectName name : server.queryNames(pattern, null)) {
            bytes.add(server.getAttribute(name, "payload-bytes"));
        }
        return bytes;
    }

    @Test
    void clientsOfAProcessShareTheEndpoint() throws Exception {
        try (KafkaMetricsBridge first = open(SETTINGS);
                KafkaMetricsBridge second = open(SETTINGS)) {
            assertThat(second.endpoint()).isEqualTo(first.endpoint());
            assertThat(read(first.endpoint().orElseThrow())
                            .lines()
                            .filter(line -> line.startsWith("blobshuffle_puts_total{")))
                    .hasSize(2);
        }
    }

    @Test
    void nothingListensUnlessAskedTo() {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.remove("blobshuffle.metrics.listen");
        try (KafkaMetricsBridge bridge = open(settings)) {
            assertThat(bridge.endpoint()).isEmpty();
            assertThat(bridge.metrics()).isNotEmpty();
        }
    }
}
