package dev.blobshuffle.http.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.simulator.SimulatedTime;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPut;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;
import org.apache.hc.core5.http.message.BasicHttpResponse;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HttpConnectionsTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration LIMIT = Duration.ofMillis(700);
    /** More bytes than the socket buffers hold between a client and a server that does not read. */
    private static final int LENGTH = 48 << 20;

    private final SystemTime time = new SystemTime();

    @AfterEach
    void end() {
        time.close();
    }

    /**
     * The limit may end a request before the connection is established, before the first byte, or
     * while the server does not read.
     */
    @Test
    void aRequestEndsAtItsLimitWhateverItIsDoing() throws IOException {
        byte[] zeros = new byte[LENGTH];
        try (ServerSocket deaf = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            for (int millis : new int[] {0, 1, 2, 3, 5, 10, 20, 50, 100}) {
                try (CloseableHttpClient client = client(Duration.ofMillis(millis))) {
                    HttpPut put = new HttpPut("/blobs/key");
                    put.setEntity(new ByteArrayEntity(zeros, null));
                    assertThatThrownBy(() -> client.executeOpen(host(deaf.getLocalPort()), put, null))
                            .isInstanceOf(SocketTimeoutException.class)
                            .hasMessage("no end after " + millis + " ms");
                }
            }
        }
    }

    /**
     * The server sends a byte every 50 ms for a minute, so the socket's timeout never ends the
     * request. The limit passes in virtual time while the client reads the body.
     */
    @Test
    void anAnswerThatTricklesEndsAtTheLimitToo() throws Exception {
        CompletableFuture<Void> gone = new CompletableFuture<>();
        try (SimulatedTime virtual = new SimulatedTime(1);
                ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                CloseableHttpClient client = client(LIMIT, virtual)) {
            Thread server = new Thread(() -> trickle(listener, gone), "trickling");
            server.setDaemon(true);
            server.start();
            InputStream body = client.executeOpen(host(listener.getLocalPort()), new HttpGet("/blobs/key"), null)
                    .getEntity()
                    .getContent();

            virtual.settle(LIMIT.minusMillis(1));
            assertThat(body.read()).isEqualTo('x');
            virtual.settle(Duration.ofMillis(1));

            assertThatThrownBy(body::readAllBytes)
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("no end after 700 ms");
            gone.get(1, TimeUnit.MINUTES);
        }
    }

    private static void trickle(ServerSocket listener, CompletableFuture<Void> gone) {
        try (Socket socket = listener.accept()) {
            OutputStream out = socket.getOutputStream();
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 1200\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            socket.setSoTimeout(50);
            InputStream in = socket.getInputStream();
            for (int sent = 0; sent < 1200; ) {
                try {
                    if (in.read() < 0) {
                        break;
                    }
                } catch (SocketTimeoutException e) {
                    out.write('x');
                    sent++;
                }
            }
            gone.complete(null);
        } catch (IOException e) {
            gone.complete(null); // The client has closed the connection.
        }
    }

    @Test
    void aBodyArrivesAsItWasWhateverThePiecesThatItIsWrittenIn() throws IOException {
        byte[] bytes = new byte[100_001];
        new java.util.Random(7).nextBytes(bytes);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] received = exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, received.length);
            exchange.getResponseBody().write(received);
            exchange.close();
        });
        server.start();
        try (CloseableHttpClient client = client(LONG)) {
            for (int piece : new int[] {1000, 4096, 16 << 10, 16385, 100_001}) {
                HttpPut put = new HttpPut("/");
                put.setEntity(new HttpEntityWrapper(new ByteArrayEntity(bytes, null)) {
                    @Override
                    public void writeTo(OutputStream out) throws IOException {
                        for (int from = 0; from < bytes.length; from += piece) {
                            out.write(bytes, from, Math.min(piece, bytes.length - from));
                        }
                    }
                });
                try (ClassicHttpResponse response =
                        client.executeOpen(host(server.getAddress().getPort()), put, null)) {
                    assertThat(response.getEntity().getContent().readAllBytes())
                            .as("in pieces of %d", piece)
                            .isEqualTo(bytes);
                }
            }
        } finally {
            server.stop(0);
        }
    }

    @Test
    void aConnectionIsIdleForFiveSecondsAtMostWhateverTheServiceAllows() {
        assertThat(idleLimit(null)).isEqualTo(TimeValue.ofSeconds(5));
        assertThat(idleLimit("timeout=600")).isEqualTo(TimeValue.ofSeconds(5));
        assertThat(idleLimit("timeout=2, max=100")).isEqualTo(TimeValue.ofSeconds(2));
    }

    private static TimeValue idleLimit(String keepAlive) {
        BasicHttpResponse response = new BasicHttpResponse(200);
        if (keepAlive != null) {
            response.addHeader("Keep-Alive", keepAlive);
        }
        return HttpConnections.idleLimit(response, HttpClientContext.create());
    }

    /**
     * The pause is the subject of the test. A slow machine makes it longer, with the same effect.
     */
    @Test
    void aConnectionThatWasIdleIsNotReused() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        Set<Integer> clients = ConcurrentHashMap.newKeySet();
        server.createContext("/", exchange -> {
            clients.add(exchange.getRemoteAddress().getPort());
            exchange.getResponseHeaders().add("Keep-Alive", "timeout=600");
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        try (CloseableHttpClient client = client(LONG)) {
            get(client, server);
            TimeUnit.MILLISECONDS.sleep(5100);
            get(client, server);
            assertThat(clients).hasSize(2);
        } finally {
            server.stop(0);
        }
    }

    private static void get(CloseableHttpClient client, HttpServer server) throws IOException {
        client.executeOpen(host(server.getAddress().getPort()), new HttpGet("/"), null)
                .close();
    }

    @Test
    void limitsWithoutConnectionsAreRefused() {
        assertThatThrownBy(() -> new HttpLimits(0, LONG, LONG, LONG))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 connections");
    }

    private CloseableHttpClient client(Duration limit) {
        return client(limit, time);
    }

    private static CloseableHttpClient client(Duration limit, Time time) {
        return HttpConnections.bySystemProperties(new HttpLimits(2, LONG, LONG, limit), time);
    }

    private static HttpHost host(int port) {
        return new HttpHost("http", "127.0.0.1", port);
    }
}
