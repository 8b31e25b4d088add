package dev.blobshuffle.peer.internal;

import static dev.blobshuffle.peer.internal.ZoneFixture.expected;
import static dev.blobshuffle.peer.internal.ZoneFixture.id;
import static dev.blobshuffle.peer.internal.ZoneFixture.range;
import static dev.blobshuffle.peer.internal.ZoneFixture.read;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.peer.internal.ZoneFixture.Instance;
import dev.blobshuffle.testkit.LoanCheck;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the server of a member answers to whoever finds its port. */
class PeerServerIT {
    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final ZoneFixture zone = new ZoneFixture(loans);
    private Instance server;

    @BeforeEach
    void start() throws Exception {
        zone.put(1);
        server = zone.start();
    }

    @AfterEach
    void end() {
        zone.close();
    }

    /**
     * Sends text over a connection of its own, and reads until the server closes it or has
     * answered.
     */
    private String ask(String request) throws IOException {
        try (Socket socket = new Socket(server.endpoint.host(), server.endpoint.port())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return answer(socket.getInputStream());
        }
    }

    /**
     * One answer, without the signs of life before it; what came of it, if the connection ended.
     */
    private static String answer(InputStream in) throws IOException {
        StringBuilder text = new StringBuilder();
        try {
            while (!text.toString().endsWith("\r\n\r\n") || text.indexOf("HTTP/1.1 102") == 0) {
                if (text.toString().endsWith("\r\n\r\n")) {
                    text.setLength(0);
                }
                int next = in.read();
                if (next < 0) {
                    return text.toString();
                }
                text.append((char) next);
            }
            String lower = text.toString().toLowerCase(Locale.ROOT);
            int at = lower.indexOf("content-length: ") + "content-length: ".length();
            int length = Integer.parseInt(lower.substring(at, lower.indexOf('\r', at)));
            text.append(new String(in.readNBytes(length), StandardCharsets.ISO_8859_1));
        } catch (SocketException e) {
            // Closed with bytes of ours unread.
        }
        return text.toString();
    }

    private String get(String path, String headers) throws IOException {
        return ask("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n");
    }

    private String proof(String path, String range, String store) {
        return "Authorization: " + ZoneFixture.SECRET.sign("GET\n" + path + "\n" + range + "\n\n" + store) + "\r\n";
    }

    private String store() {
        return String.format("%08x", zone.origin().fingerprint());
    }

    private String blobHeaders(String path, String range) {
        return "Range: " + range + "\r\nBlobshuffle-Store: " + store() + "\r\n" + proof(path, range, store());
    }

    private static String path() {
        return "/blobs/" + BlobKey.of(id(1));
    }

    @Test
    void aRangeIsReadAsFromAnObjectStore() throws Exception {
        read(server.local, 1, range(0, 1));
        String answer = get(path(), blobHeaders(path(), "bytes=100-149"));
        assertThat(answer).startsWith("HTTP/1.1 206 ").containsIgnoringCase("content-range: bytes 100-149/*");
        byte[] body = answer.substring(answer.indexOf("\r\n\r\n") + 4).getBytes(StandardCharsets.ISO_8859_1);
        assertThat(body).isEqualTo(expected(1, range(100, 50)));
        // The server counts an answer after it was sent: before it reads the next request.
        assertThat(get("/health", "")).startsWith("HTTP/1.1 200 ");
        server.network.close();
        assertThat(server.metrics.value(Counter.PEER_REQUESTS)).isEqualTo(1);
    }

    @Test
    void everybodyMayAskForHealthAndMembersForMetrics() throws Exception {
        assertThat(get("/health", "")).startsWith("HTTP/1.1 200 ").endsWith("ok\n");
        assertThat(get("/metrics", "")).startsWith("HTTP/1.1 401 ");
        assertThat(get("/metrics", proof("/metrics", "", "")))
                .startsWith("HTTP/1.1 200 ")
                .contains("# TYPE blobshuffle_cache_memory_hits_total counter")
                .contains("\nblobshuffle_peer_refusals_total 1\n");
    }

    @Test
    void nobodyReadsWithoutProof() throws Exception {
        String range = "bytes=0-9";
        String plain = "Range: " + range + "\r\nBlobshuffle-Store: " + store() + "\r\n";
        String wrong =
                ZoneFixture.secret("something else entirely").sign("GET\n" + path() + "\n" + range + "\n\n" + store());
        for (String proof : new String[] {
            "",
            "Authorization: \r\n",
            "Authorization: BlobShuffle \r\n",
            "Authorization: " + wrong + "\r\n",
            proof(path(), "bytes=0-8", store()), // Of another request.
            proof(path() + "x", range, store()),
            proof(path(), range, "00000000"),
        }) {
            assertThat(get(path(), plain + proof)).as(proof).startsWith("HTTP/1.1 401 ");
        }
        assertThat(zone.gets()).isZero();
    }

    @Test
    void whatIsNoReadIsRefused() throws Exception {
        for (String path : new String[] {"/", "/blobs/", "/blobs/../etc/passwd", "/blobs/x", path() + "x", "/blob"}) {
            assertThat(get(path, blobHeaders(path, "bytes=0-9"))).as(path).startsWith("HTTP/1.1 400 ");
        }
        for (String range : new String[] {
            "", "bytes=0-", "bytes=-5", "bytes=9-0", "bytes=0-1,3-4", "lines=0-1", "bytes=0-999999999999999999999"
        }) {
            assertThat(get(path(), blobHeaders(path(), range))).as(range).startsWith("HTTP/1.1 400 ");
        }
        assertThat(get(
                        path(),
                        "Range: bytes=0-9\r\nBlobshuffle-Store: 00000000\r\n" + proof(path(), "bytes=0-9", "00000000")))
                .startsWith("HTTP/1.1 421 ");
        assertThat(get(path(), blobHeaders(path(), "bytes=299999-300000"))).startsWith("HTTP/1.1 416 ");
        String missing = "/blobs/" + BlobKey.of(id(2));
        assertThat(get(missing, blobHeaders(missing, "bytes=0-9"))).startsWith("HTTP/1.1 404 ");
        assertThat(ask("DELETE " + path() + " HTTP/1.1\r\nHost: x\r\n\r\n")).startsWith("HTTP/1.1 405 ");
        assertThat(ask("PUT " + path() + " HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"))
                .startsWith("HTTP/1.1 413 ");
        assertThat(ask("GET " + path() + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"))
                .startsWith("HTTP/1.1 413 ");
    }

    @Test
    void whatIsTooLongIsRefused() throws Exception {
        assertThat(get("/" + "x".repeat(5000), "")).startsWith("HTTP/1.1 400 ");
        assertThat(get("/health", "X: " + "y".repeat(20_000) + "\r\n")).startsWith("HTTP/1.1 400 ");
    }

    @Test
    void aRequestBeforeTheLastOneIsAnsweredEndsTheConnection() throws Exception {
        String both = "GET " + path() + " HTTP/1.1\r\nHost: x\r\n" + blobHeaders(path(), "bytes=0-9")
                + "\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n";
        try (Socket socket = new Socket(server.endpoint.host(), server.endpoint.port())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(both.getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .doesNotContain("200 OK");
        } catch (SocketException e) {
            // Ended with requests of ours unread.
        }
    }

    @Test
    void noiseDoesNoHarm() throws Exception {
        Random random = new Random(5);
        for (int i = 0; i < 100; i++) {
            byte[] noise = new byte[1 + random.nextInt(2000)];
            random.nextBytes(noise);
            try (Socket socket = new Socket(server.endpoint.host(), server.endpoint.port())) {
                socket.getOutputStream().write(noise);
            }
        }
        assertThat(get("/health", "")).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void aReaderThatLeavesGivesBackWhatItWasSent() throws Exception {
        read(server.local, 1, range(0, 1));
        for (int i = 0; i < 20; i++) {
            try (Socket socket = new Socket(server.endpoint.host(), server.endpoint.port())) {
                String request =
                        "GET " + path() + " HTTP/1.1\r\nHost: x\r\n" + blobHeaders(path(), "bytes=0-299999") + "\r\n";
                socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
                int ignored = socket.getInputStream().read();
            }
        }
        // After the test, everything on loan must have come back.
    }
}
