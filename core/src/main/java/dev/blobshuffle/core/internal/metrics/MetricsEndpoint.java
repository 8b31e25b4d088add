package dev.blobshuffle.core.internal.metrics;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.server.EndedConnections;
import dev.blobshuffle.core.internal.server.TextServer;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the metrics of a process to Prometheus: {@code GET /metrics} over HTTP. All engines and
 * other parts of the process with the same address share one endpoint. The first of them opens it,
 * and the last one closes it. Any client that reaches the address sees metric names and numbers,
 * but no records or settings. Thread-safe: guarded by the class.
 */
public final class MetricsEndpoint {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsEndpoint.class);
    private static final Map<String, MetricsEndpoint> OPEN = new HashMap<>();
    private static final String PATH = "/metrics";
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    private final List<LabelledMetrics> engines = new CopyOnWriteArrayList<>();
    private final List<LabelledNumbers> others = new CopyOnWriteArrayList<>();
    private final SystemTime time;
    private final TextServer server;
    private final Endpoint address;

    private MetricsEndpoint(Endpoint listen, Duration deadline) {
        time = new SystemTime();
        try {
            InetSocketAddress socket = new InetSocketAddress(listen.host(), listen.port());
            if (socket.isUnresolved()) {
                throw new IOException("the host is not known");
            }
            EndedConnections ended = new EndedConnections("The metrics endpoint " + listen, this::countEnded, time);
            server = TextServer.start(socket, deadline, ended, time, this::answer);
        } catch (IOException e) {
            time.close();
            throw new InvalidSettingsException(
                    "Cannot show metrics at " + listen + ": " + e.getMessage()
                            + ". Give an address of this machine and a free port in blobshuffle.metrics.listen; port 0 takes any free one.",
                    e);
        }
        address = new Endpoint(listen.host(), server.port());
        LOG.info("Shows metrics at http://{}{}.", address, PATH);
    }

    private void countEnded() {
        engines.stream().findFirst().ifPresent(first -> first.metrics().add(Counter.METRICS_CONNECTIONS_ENDED, 1));
    }

    /**
     * Shows an engine's metrics until the publication is closed.
     *
     * @param listen {@code host:port}, the setting {@code blobshuffle.metrics.listen}; publications
     *     with the same text share the endpoint, even with port 0
     * @throws InvalidSettingsException fatal: the process cannot listen at that address
     */
    public static Publication publish(String listen, LabelledMetrics metrics) {
        return publish(listen, metrics, DEADLINE);
    }

    static synchronized Publication publish(String listen, LabelledMetrics metrics, Duration deadline) {
        MetricsEndpoint endpoint = open(listen, deadline);
        endpoint.engines.add(metrics);
        return new Shared(listen, endpoint, () -> endpoint.engines.remove(metrics));
    }

    /**
     * Shows the metrics of another part of the process until the publication is closed.
     *
     * @param listen as for an engine
     * @throws InvalidSettingsException fatal: the process cannot listen at that address
     */
    public static synchronized Publication publish(String listen, LabelledNumbers numbers) {
        MetricsEndpoint endpoint = open(listen, DEADLINE);
        endpoint.others.add(numbers);
        return new Shared(listen, endpoint, () -> endpoint.others.remove(numbers));
    }

    private static MetricsEndpoint open(String listen, Duration deadline) {
        MetricsEndpoint endpoint = OPEN.get(listen);
        if (endpoint == null) {
            endpoint = new MetricsEndpoint(Endpoint.parse(listen), deadline);
            OPEN.put(listen, endpoint);
        }
        return endpoint;
    }

    private static synchronized void withdraw(String listen, MetricsEndpoint endpoint, Runnable removal) {
        removal.run();
        if (endpoint.engines.isEmpty() && endpoint.others.isEmpty()) {
            OPEN.remove(listen);
            endpoint.server.close();
            endpoint.time.close();
        }
    }

    private TextServer.Page answer(TextServer.Request request) {
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            return new TextServer.Page(
                    "405 Method Not Allowed",
                    Map.of("Allow", "GET, HEAD", "Content-Type", "text/plain; charset=utf-8"),
                    "Method not allowed. Read metrics with GET.\n");
        }
        return request.path().equals(PATH)
                ? new TextServer.Page(
                        "200 OK",
                        Map.of("Content-Type", PrometheusText.CONTENT_TYPE),
                        PrometheusText.of(engines, others))
                : TextServer.Page.plain("404 Not Found", "Not found. Metrics are at " + PATH + ".\n");
    }

    /** Metrics published at an endpoint. */
    public interface Publication extends AutoCloseable {
        /** The address of the endpoint, with its actual port. */
        Endpoint address();

        /** Removes the metrics, and closes the endpoint if it has no others. Idempotent. */
        @Override
        void close();
    }

    /** The share that one engine or part has of an endpoint. Thread-safe. */
    private static final class Shared implements Publication {
        private final String listen;
        private final MetricsEndpoint endpoint;
        private final Runnable removal;
        private final AtomicBoolean isClosed = new AtomicBoolean();

        private Shared(String listen, MetricsEndpoint endpoint, Runnable removal) {
            this.listen = listen;
            this.endpoint = endpoint;
            this.removal = removal;
        }

        @Override
        public Endpoint address() {
            return endpoint.address;
        }

        @Override
        public void close() {
            if (isClosed.compareAndSet(false, true)) {
                withdraw(listen, endpoint, removal);
            }
        }
    }
}
