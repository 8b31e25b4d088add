package dev.blobshuffle.core.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class MetricsEndpointTest {
    private static final String ANY = "127.0.0.1:0";

    private final HttpClient client = HttpClient.newHttpClient();

    private HttpResponse<String> ask(Endpoint address, String method, String path)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static LabelledMetrics engine(String number) {
        ShuffleMetrics metrics = new ShuffleMetrics();
        metrics.add(Counter.PUTS, 3);
        return LabelledMetrics.alone(metrics).with("engine", Optional.of(number));
    }

    @Test
    void enginesOfAProcessShareAnEndpointUntilTheLastOneGoes() throws Exception {
        MetricsEndpoint.Publication first = MetricsEndpoint.publish(ANY, engine("1"));
        MetricsEndpoint.Publication second = MetricsEndpoint.publish(ANY, engine("2"));
        try (first;
                second) {
            assertThat(second.address()).isEqualTo(first.address());
            HttpResponse<String> both = ask(first.address(), "GET", "/metrics");
            assertThat(both.statusCode()).isEqualTo(200);
            assertThat(both.headers().firstValue("Content-Type")).contains(PrometheusText.CONTENT_TYPE);
            assertThat(both.body()).contains("puts_total{engine=\"1\"} 3\n", "puts_total{engine=\"2\"} 3\n");
            first.close();
            first.close();
            assertThat(ask(second.address(), "GET", "/metrics").body())
                    .doesNotContain("engine=\"1\"")
                    .contains("puts_total{engine=\"2\"} 3\n");
        }
        assertThatThrownBy(() -> ask(first.address(), "GET", "/metrics")).isInstanceOf(ConnectException.class);
    }

    private static LabelledNumbers node(String name) {
        return new LabelledNumbers(Map.of("node", name), Map.of(KeyParallelMetric.CALLS.metric(), () -> 5));
    }

    @Test
    void partsShareTheEndpointWithEnginesUntilTheLastOfEitherGoes() throws Exception {
        String prefix = "blobshuffle_keyparallel_calls_total";
        MetricsEndpoint.Publication geo = MetricsEndpoint.publish(ANY, node("geo"));
        MetricsEndpoint.Publication score = MetricsEndpoint.publish(ANY, node("score"));
        MetricsEndpoint.Publication engine = MetricsEndpoint.publish(ANY, engine("1"));
        try (geo;
                score;
                engine) {
            assertThat(engine.address()).isEqualTo(geo.address()).isEqualTo(score.address());
            assertThat(ask(geo.address(), "GET", "/metrics").body())
                    .containsOnlyOnce("# TYPE " + prefix + " counter\n")
                    .contains(prefix + "{node=\"geo\"} 5\n", prefix + "{node=\"score\"} 5\n")
                    .contains("puts_total{engine=\"1\"} 3\n");
            geo.close();
            geo.close();
            engine.close();
            assertThat(ask(score.address(), "GET", "/metrics").body())
                    .contains(prefix + "{node=\"score\"} 5\n")
                    .doesNotContain("geo", "puts_total");
        }
        assertThatThrownBy(() -> ask(geo.address(), "GET", "/metrics")).isInstanceOf(ConnectException.class);
    }

    @Test
    void anEngineOutlivesTheParts() throws Exception {
        MetricsEndpoint.Publication geo = MetricsEndpoint.publish(ANY, node("geo"));
        try (MetricsEndpoint.Publication engine = MetricsEndpoint.publish(ANY, engine("1"))) {
            geo.close();
            assertThat(ask(engine.address(), "GET", "/metrics").body())
                    .contains("puts_total{engine=\"1\"} 3\n")
                    .doesNotContain("keyparallel");
        }
    }

    @Test
    void addressIsFoundAmongAnApplicationsOtherSettings() {
        assertThat(MetricsSettings.listen(Map.of(
                        "blobshuffle.metrics.listen", " 0.0.0.0:9400 ", "blobshuffle.keyparallel.ordering", "key")))
                .hasValue("0.0.0.0:9400");
        assertThat(MetricsSettings.listen(Map.of("blobshuffle.metrics.listen", " ")))
                .isEmpty();
        assertThat(MetricsSettings.listen(Map.of("application.id", "orders"))).isEmpty();
    }

    @Test
    void onlyMetricsAreThereToRead() throws Exception {
        try (MetricsEndpoint.Publication shown = MetricsEndpoint.publish(ANY, engine("1"))) {
            assertThat(ask(shown.address(), "GET", "/").statusCode()).isEqualTo(404);
            assertThat(ask(shown.address(), "GET", "/metrics/x").statusCode()).isEqualTo(404);
            assertThat(ask(shown.address(), "POST", "/metrics").statusCode()).isEqualTo(405);
            HttpResponse<String> head = ask(shown.address(), "HEAD", "/metrics");
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(head.body()).isEmpty();
        }
    }

    @Test
    void anEndpointThatIsLeftOpenDoesNotKeepTheProcess() throws Exception {
        try (MetricsEndpoint.Publication shown = MetricsEndpoint.publish(ANY, engine("1"))) {
            assertThat(ask(shown.address(), "GET", "/metrics").statusCode()).isEqualTo(200);
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().matches("blobshuffle-metrics.*"))
                    .isNotEmpty()
                    .allMatch(Thread::isDaemon);
        }
    }

    /**
     * A thousand clients send half a request each and wait. Other clients are not affected, even
     * from the same address.
     */
    @Test
    void aThousandHalfRequestsKeepNobodyFromReading() throws Exception {
        List<Socket> slow = new ArrayList<>();
        ShuffleMetrics metrics = new ShuffleMetrics();
        try (MetricsEndpoint.Publication shown = MetricsEndpoint.publish(ANY, LabelledMetrics.alone(metrics))) {
            for (int i = 0; i < 1_000; i++) {
                Socket socket =
                        new Socket(shown.address().host(), shown.address().port());
                slow.add(socket);
                socket.getOutputStream().write("GET /metrics HTTP/1.1\r\nX".getBytes(StandardCharsets.US_ASCII));
                if (i % 100 == 99) {
                    assertThat(ask(shown.address(), "GET", "/metrics").statusCode())
                            .isEqualTo(200);
                }
            }
            assertThat(metrics.value(Counter.METRICS_CONNECTIONS_ENDED)).isGreaterThanOrEqualTo(900);
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void aRequestThatIsNotWholeInTimeEndsItsConnection() throws Exception {
        ShuffleMetrics metrics = new ShuffleMetrics();
        LabelledMetrics labelled = LabelledMetrics.alone(metrics);
        try (MetricsEndpoint.Publication shown = MetricsEndpoint.publish(ANY, labelled, Duration.ofMillis(200));
                Socket socket =
                        new Socket(shown.address().host(), shown.address().port())) {
            socket.getOutputStream().write("GET /metrics HT".getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
            assertThat(metrics.value(Counter.METRICS_CONNECTIONS_ENDED)).isEqualTo(1);
        }
    }

    @Test
    void whatIsNoRequestIsRefused() throws Exception {
        try (MetricsEndpoint.Publication shown = MetricsEndpoint.publish(ANY, engine("1"))) {
            for (String request : List.of("hello\r\n\r\n", "GET /metrics\r\n\r\n", "x".repeat(8 << 10))) {
                try (Socket socket =
                        new Socket(shown.address().host(), shown.address().port())) {
                    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                    assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                            .startsWith("HTTP/1.1 400 ");
                }
            }
        }
    }

    @Test
    void anAddressThatCannotBeUsedIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + taken.getLocalPort();
            assertThatThrownBy(() -> MetricsEndpoint.publish(address, engine("1")))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageStartingWith("Cannot show metrics at " + address)
                    .hasMessageContaining("blobshuffle.metrics.listen");
        }
        assertThatThrownBy(() -> MetricsEndpoint.publish("9400", engine("1")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("host:port");
        assertThatThrownBy(() -> MetricsEndpoint.publish("no.such.host.invalid:0", engine("1")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("no.such.host.invalid");
    }
}
