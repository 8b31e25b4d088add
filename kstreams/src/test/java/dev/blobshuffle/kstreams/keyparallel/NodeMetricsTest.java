package dev.blobshuffle.kstreams.keyparallel;

import static dev.blobshuffle.kstreams.keyparallel.KeyParallelTest.driver;
import static dev.blobshuffle.kstreams.keyparallel.KeyParallelTest.input;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.metrics.KeyParallelMetric;
import dev.blobshuffle.core.internal.metrics.LabelledNumbers;
import dev.blobshuffle.core.internal.metrics.MetricsEndpoint;
import dev.blobshuffle.core.internal.metrics.PrometheusText;
import dev.blobshuffle.testkit.internal.servers.FreePort;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.Test;

/** The metrics of nodes at the endpoint for Prometheus, under TopologyTestDriver. */
class NodeMetricsTest {
    private static final String ANY = "127.0.0.1:0";
    private static final String GEO = "{application=\"tested\",node=\"geo\",task=\"0_0\"}";
    private static final String SCORE = "{application=\"tested\",node=\"score\",task=\"0_0\"}";

    private static StreamsBuilder twoNodes(KeyParallelOptions second) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .processValues(KeyParallel.mapValues((key, value) -> value, KeyParallelOptions.named("geo")))
                .processValues(KeyParallel.mapValues((key, value) -> value, second));
        return builder;
    }

    private static TopologyTestDriver started(String listen) {
        return driver(twoNodes(KeyParallelOptions.named("score")), Map.of("blobshuffle.metrics.listen", listen));
    }

    /** Nodes that publish at the same address share its port. */
    private static Endpoint endpoint() {
        try (MetricsEndpoint.Publication own = MetricsEndpoint.publish(ANY, new LabelledNumbers(Map.of(), Map.of()))) {
            return own.address();
        }
    }

    private static String page(Endpoint endpoint) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + endpoint + "/metrics"))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void prometheusSeesAllMetricsOfOpenNodesAndNothingElse() throws Exception {
        Endpoint endpoint;
        try (TopologyTestDriver driver = started(ANY)) {
            endpoint = endpoint();
            input(driver).pipeInput("a", "1");
            input(driver).pipeInput("b", "2");
            String page = page(endpoint);
            Map<String, Double> samples = new HashMap<>();
            page.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
                String[] parts = line.split(" ");
                samples.put(parts[0], Double.parseDouble(parts[1]));
            });
            assertThat(samples).hasSize(2 * KeyParallelMetric.values().length);
            for (KeyParallelMetric metric : KeyParallelMetric.values()) {
                String name = PrometheusText.name(metric.metric());
                assertThat(samples).containsKeys(name + GEO, name + SCORE);
                assertThat(page).containsOnlyOnce("# TYPE " + name + " ");
            }
            assertThat(samples)
                    .containsEntry("blobshuffle_keyparallel_calls_total" + GEO, 2.0)
                    .containsEntry("blobshuffle_keyparallel_forwarded_total" + SCORE, 2.0)
                    .containsEntry("blobshuffle_keyparallel_pending_records" + GEO, 0.0)
                    .containsEntry("blobshuffle_keyparallel_limited_by_input" + GEO, 1.0)
                    .containsEntry("blobshuffle_keyparallel_limited_by_key_order" + GEO, 0.0);
            assertThat(samples.get("blobshuffle_keyparallel_call_time_seconds_total" + GEO))
                    .isEqualTo(jmx(driver, "geo", "call-time-ms-total") / 1000);
        }
        assertThatThrownBy(() -> page(endpoint)).isInstanceOf(ConnectException.class);
    }

    private static double jmx(TopologyTestDriver driver, String node, String name) {
        return driver.metrics().values().stream()
                .filter(metric -> metric.metricName().group().equals(NodeMetrics.GROUP)
                        && metric.metricName().name().equals(name)
                        && node.equals(metric.metricName().tags().get("name")))
                .mapToDouble(metric -> (double) metric.metricValue())
                .sum();
    }

    @Test
    void addressThatCannotBeUsedRefusesTheStart() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + taken.getLocalPort();
            assertThatThrownBy(() -> started(address))
                    .hasRootCauseInstanceOf(java.net.BindException.class)
                    .hasStackTraceContaining(
                            InvalidSettingsException.class.getName() + ": Cannot show metrics at " + address)
                    .hasStackTraceContaining("blobshuffle.metrics.listen");
        }
        assertThatThrownBy(() -> started("9400"))
                .hasRootCauseInstanceOf(InvalidSettingsException.class)
                .hasStackTraceContaining("host:port");
    }

    @Test
    void nodeThatFailsToOpenLeavesNoPortOpen() throws Exception {
        int port = FreePort.take();
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .process(Corrupting::new, Named.as("corrupting"))
                .processValues(KeyParallel.mapValues(
                        (key, value) -> value,
                        KeyParallelOptions.builder("geo")
                                .commitMode(CommitMode.checkpoint(Serdes.String(), Serdes.String()))
                                .build()));
        Topology topology = builder.build().connectProcessorAndStateStores("corrupting", "geo-pending");
        assertThatThrownBy(() -> driver(topology, Map.of("blobshuffle.metrics.listen", "127.0.0.1:" + port)))
                .hasStackTraceContaining("Checkpoint.recover");
        assertThatThrownBy(() -> page(new Endpoint("127.0.0.1", port))).isInstanceOf(ConnectException.class);
    }

    /** Leaves an undecodable record in the node's store. */
    private static final class Corrupting implements Processor<String, String, String, String> {
        @Override
        public void init(ProcessorContext<String, String> context) {
            KeyValueStore<Long, byte[]> store = context.getStateStore("geo-pending");
            store.put(1L, new byte[] {1, 2, 3});
        }

        @Override
        public void process(Record<String, String> record) {
            throw new AssertionError("The task does not start.");
        }
    }
}
