package dev.blobshuffle.core.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.membership.Endpoint;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a process shows its metrics to Prometheus: {@code GET /metrics} over HTTP. There is one endpoint per address, which all engines of the process share that name it; the first one
 * opens it, the last one that goes closes it. It shows names and numbers to everybody who reaches the address, no records, no settings. Thread-safe: guarded by the class.
 */
public final class MetricsEndpoint {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsEndpoint.class);
    private static final Map<String, MetricsEndpoint> OPEN = new HashMap<>();
    private static final String PATH = "/metrics";
    private static final int THREADS = 2;
    private static final int WAITING = 16;
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final List<LabelledMetrics> shown = new CopyOnWriteArrayList<>();
    private final SystemTime time;
    private final ExchangeWorkers workers;
    private final HttpServer server;
    private final Endpoint address;

    private MetricsEndpoint(Endpoint listen, Duration limit) {
        time = new SystemTime();
        workers = new ExchangeWorkers(time, THREADS, WAITING, limit);
        try {
            InetSocketAddress socket = new InetSocketAddress(listen.host(), listen.port());
            if (socket.isUnresolved()) {
                throw new IOException("the host is not known");
            }
            server = HttpServer.create(socket, THREADS + WAITING);
        } catch (IOException e) {
            time.close();
            throw new InvalidSettings(
                    "Cannot show metrics at " + listen + ": " + e.getMessage()
                            + ". Give an address of this machine and a free port in blobshuffle.metrics.listen; port 0 takes any free one.",
                    e);
        }
        address = new Endpoint(listen.host(), server.getAddress().getPort());
        server.setExecutor(workers);
        server.createContext("/", this::answer);
        // On a daemon thread, so that the server's own thread is one too: an application that forgets to close a client
        // must still end.
        CompletableFuture.runAsync(server::start, workers).join();
        LOG.info("Shows metrics at http://{}{}.", address, PATH);
    }

    /**
     * Shows metrics until the publication is closed.
     *
     * @param listen {@code host:port}, the setting {@code blobshuffle.metrics.listen}; whoever gives the same text shares the endpoint, also with port 0
     * @throws InvalidSettings fatal: nobody can listen there
     */
    public static Publication publish(String listen, LabelledMetrics metrics) {
        return publish(listen, metrics, LIMIT);
    }

    static synchronized Publication publish(String listen, LabelledMetrics metrics, Duration limit) {
        MetricsEndpoint endpoint = OPEN.get(listen);
        if (endpoint == null) {
            endpoint = new MetricsEndpoint(Endpoint.parse(listen), limit);
            OPEN.put(listen, endpoint);
        }
        endpoint.shown.add(metrics);
        return new Shared(listen, endpoint, metrics);
    }

    private static synchronized void withdraw(String listen, MetricsEndpoint endpoint, LabelledMetrics metrics) {
        endpoint.shown.remove(metrics);
        if (endpoint.shown.isEmpty()) {
            OPEN.remove(listen);
            endpoint.server.stop(0);
            endpoint.workers.close();
            endpoint.time.close();
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            boolean isHead = exchange.getRequestMethod().equals("HEAD");
            if (!isHead && !exchange.getRequestMethod().equals("GET")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, 405, "text/plain; charset=utf-8", "Cannot do this. Metrics are read, with GET.\n");
            } else if (exchange.getRequestURI().getPath().equals(PATH)) {
                send(exchange, 200, PrometheusText.CONTENT_TYPE, PrometheusText.of(shown));
            } else {
                send(
                        exchange,
                        404,
                        "text/plain; charset=utf-8",
                        "There is nothing here. Metrics are at " + PATH + ".\n");
            }
        }
    }

    private static void send(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
            exchange.sendResponseHeaders(status, -1);
        } else {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /** Metrics that are shown at an endpoint. */
    public interface Publication extends AutoCloseable {
        /** Where they are shown, with the port that was taken. */
        Endpoint address();

        /** Shows them no longer, and closes the endpoint if nothing else is shown there. Idempotent. */
        @Override
        void close();
    }

    /** A share of an endpoint. Thread-safe. */
    private static final class Shared implements Publication {
        private final String listen;
        private final MetricsEndpoint endpoint;
        private final LabelledMetrics metrics;
        private final AtomicBoolean isClosed = new AtomicBoolean();

        private Shared(String listen, MetricsEndpoint endpoint, LabelledMetrics metrics) {
            this.listen = listen;
            this.endpoint = endpoint;
            this.metrics = metrics;
        }

        @Override
        public Endpoint address() {
            return endpoint.address;
        }

        @Override
        public void close() {
            if (isClosed.compareAndSet(false, true)) {
                withdraw(listen, endpoint, metrics);
            }
        }
    }
}
