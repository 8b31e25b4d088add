package dev.blobshuffle.flightdaemon.internal.server;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.metrics.Metric;
import dev.blobshuffle.core.internal.metrics.PrometheusText;
import dev.blobshuffle.core.internal.server.EndedConnections;
import dev.blobshuffle.core.internal.server.TextServer;
import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Serves the daemon's metrics to Prometheus: {@code GET /metrics}. There is no authentication. The
 * page contains names and numbers, but no names of namespaces or shuffles. Thread-safe.
 */
final class MetricsServer implements AutoCloseable {
    private static final String PATH = "/metrics";
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    private final TextServer server;
    private final Endpoint address;

    /**
     * Starts to listen.
     *
     * @param values supplies the current values
     * @throws InvalidSettingsException fatal: the address is unusable
     */
    MetricsServer(Endpoint listen, Supplier<Map<FlightMetric, Double>> values, Time time) {
        try {
            InetSocketAddress socket = new InetSocketAddress(listen.host(), listen.port());
            if (socket.isUnresolved()) {
                throw new IOException("the host is not known");
            }
            EndedConnections ended = new EndedConnections("The metrics endpoint " + listen, () -> {}, time);
            server = TextServer.start(socket, DEADLINE, ended, time, request -> answer(request, values));
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    "Cannot show metrics at " + listen + ": " + e.getMessage()
                            + ". Give an address of this machine and a free port; port 0 takes any free one.",
                    e);
        }
        address = new Endpoint(listen.host(), server.port());
    }

    private static TextServer.Page answer(TextServer.Request request, Supplier<Map<FlightMetric, Double>> values) {
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            return new TextServer.Page(
                    "405 Method Not Allowed",
                    Map.of("Allow", "GET, HEAD", "Content-Type", "text/plain; charset=utf-8"),
                    "Method not allowed. Read metrics with GET.\n");
        }
        if (!request.path().equals(PATH)) {
            return TextServer.Page.plain("404 Not Found", "Not found. Metrics are at " + PATH + ".\n");
        }
        Map<Metric, Double> shown = new LinkedHashMap<>();
        values.get().forEach((metric, value) -> shown.put(metric.metric(), value));
        return new TextServer.Page(
                "200 OK", Map.of("Content-Type", PrometheusText.CONTENT_TYPE), PrometheusText.of(shown));
    }

    /** The listening address. */
    Endpoint address() {
        return address;
    }

    @Override
    public void close() {
        server.close();
    }
}
