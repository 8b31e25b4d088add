package dev.blobshuffle.testkit.internal.servers;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An HTTP server in this JVM that gives one answer to every request, and keeps the requests. Tests
 * use it for answers that no real server gives on demand, and to check what a client sends. It
 * keeps all bodies in memory, so they must be small. Thread-safe.
 */
public final class StubService implements AutoCloseable {
    private final HttpServer server;
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private volatile Answer answer = new Answer(200, Map.of(), "");
    private volatile boolean isSilent;

    private StubService(HttpServer server) {
        this.server = server;
    }

    /** Starts a service that answers 200 without a body, on a free port of the loopback address. */
    public static StubService start() {
        try {
            StubService service =
                    new StubService(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
            service.server.createContext("/", service::answer);
            service.server.start();
            return service;
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot start a service: " + e.getMessage() + ".", e);
        }
    }

    /** Where the service listens, without a path: {@code http://127.0.0.1:PORT}. */
    public String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Sets the answer to all further requests. */
    public void answerWith(int status, Map<String, String> headers, String body) {
        answer = new Answer(status, headers, body);
        isSilent = false;
    }

    /** Reads and keeps all further requests, and closes their connections without an answer. */
    public void loseAnswers() {
        isSilent = true;
    }

    /** The requests so far. */
    public List<Request> requests() {
        return List.copyOf(requests);
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] sent = exchange.getRequestBody().readAllBytes();
        requests.add(new Request(
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                exchange.getRequestHeaders(),
                new String(sent, StandardCharsets.ISO_8859_1),
                exchange.getRemoteAddress().getPort()));
        if (isSilent) {
            exchange.close();
            return;
        }
        Answer now = answer;
        now.headers.forEach(exchange.getResponseHeaders()::set);
        byte[] bytes = now.body.getBytes(StandardCharsets.UTF_8);
        boolean hasBody = bytes.length > 0 && !exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(now.status, hasBody ? bytes.length : -1);
        if (hasBody) {
            exchange.getResponseBody().write(bytes);
        }
        exchange.close();
    }

    /** Ends the service; connections are refused from now on. Idempotent. */
    @Override
    public void close() {
        server.stop(0);
    }

    /**
     * A request that the service received.
     *
     * @param body one character per byte
     * @param clientPort identifies the connection
     */
    public record Request(String method, String uri, Headers headers, String body, int clientPort) {}

    private record Answer(int status, Map<String, String> headers, String body) {}
}
