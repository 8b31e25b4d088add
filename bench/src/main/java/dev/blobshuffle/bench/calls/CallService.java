package dev.blobshuffle.bench.calls;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A slow service, in a process of its own. It answers a request after the number of milliseconds in
 * the request's path. A timer ends each wait, so any number of requests may wait at a time.
 * Connections stay open. It prints its address, and ends when its standard input ends.
 */
final class CallService {
    private static final int BACKLOG = 4_096;

    private CallService() {}

    /** Runs until the parent ends. */
    public static void main(String[] args) throws IOException {
        try (SystemTime time = new SystemTime()) {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
            server.createContext("/", exchange -> {
                long millis = Long.parseLong(exchange.getRequestURI().getPath().substring(1));
                time.schedule(Duration.ofMillis(millis), () -> answer(exchange));
            });
            server.start();
            System.out.println(
                    "Answers at http://" + server.getAddress().getAddress().getHostAddress() + ":"
                            + server.getAddress().getPort() + "/");
            long ignored = System.in.transferTo(OutputStream.nullOutputStream());
            server.stop(0);
        }
    }

    private static void answer(HttpExchange exchange) {
        try (exchange) {
            exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, -1);
        } catch (IOException e) {
            // The client has ended.
        }
    }
}
