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
    static String answer(InputStream in) throws IOException {
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

    private static String request(String path, String headers) {
        return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n";
    }

    private String get(String path, String headers) throws IOException {
        return ask(request(path, headers));
    }

    private static String ask(Socket socket, String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        return answer(socket.getInputStream());
    }

    private Socket connect(Instance member) throws IOException {
        Socket socket = new Socket(member.endpoint.host(), member.endpoint.port());
        socket.setSoTimeout(60_000);
        return socket;
    }

    /**
     * What a member is answered: its first request tells it the turn, and the second one has it.
     */
    private String getAsMember(String path, String range, String store) throws IOException {
        try (Socket socket = connect(server)) {
            String turn = turn(socket, path, range, store);
            return turn.isEmpty() ? "" : ask(socket, request(path, headers(path, turn, range, store)));
        }
    }

    private String getAsMember(String path, String range) throws IOException {
        return getAsMember(path, range, store());
    }

    private static String turn(Socket socket, String path, String range, String store) throws IOException {
        String refusal = ask(socket, request(path, headers(path, "", range, store)));
        assertThat(refusal).startsWith("HTTP/1.1 425 Too Early");
        return SignedHeaders.turn(refusal);
    }

    private String store() {
        return String.format("%08x", zone.origin().fingerprint());
    }

    private static String headers(String path, String turn, String range, String store) {
        return "Range: " + range + "\r\nBlobshuffle-Store: " + store + "\r\n"
                + SignedHeaders.of(path, turn, range, store);
    }

    private static String path() {
        return "/blobs/" + BlobKey.of(id(1));
    }

    @Test
    void aRangeIsReadAsFromAnObjectStore() throws Exception {
        read(server.local, 1, range(0, 1));
        String answer = getAsMember(path(), "bytes=100-149");
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
        assertThat(getAsMember("/metrics", "", ""))
                .startsWith("HTTP/1.1 200 ")
                .contains("# TYPE blobshuffle_cache_memory_hits_total counter")
                .contains("\nblobshuffle_peer_refusals_total 1\n");
    }

    @Test
    void nobodyReadsWithoutProof() throws Exception {
        String range = "bytes=0-9";
        String plain = "Range: " + range + "\r\nBlobshuffle-Store: " + store() + "\r\n";
        String signed = "blobshuffle request 2\nGET\n" + path() + "\n\n" + range + "\n\n" + store() + "\n\n";
        String wrong = ZoneFixture.secret("something else entirely").sign(signed);
        String earlierVersion = ZoneFixture.SECRET.sign("GET\n" + path() + "\n" + range + "\n\n" + store());
        for (String proof : new String[] {
            "",
            "Authorization: \r\n",
            "Authorization: BlobShuffle \r\n",
            "Authorization: " + wrong + "\r\n",
            "Authorization: " + earlierVersion + "\r\n",
            SignedHeaders.of(path(), "", "bytes=0-8", store()), // Of another request.
            SignedHeaders.of(path() + "x", "", range, store()),
            SignedHeaders.of(path(), "", range, "00000000"),
            SignedHeaders.of(path(), "", range, store()) + "Blobshuffle-Turn: x\r\n",
            SignedHeaders.of(path(), "", range, store()) + "Blobshuffle-Zone: b\r\n",
            SignedHeaders.of(path(), "", range, store()) + "Blobshuffle-Challenge: head x\r\n",
        }) {
            assertThat(get(path(), plain + proof)).as(proof).startsWith("HTTP/1.1 401 ");
        }
        assertThat(zone.gets()).isZero();
    }

    @Test
    void whatIsNoReadIsRefused() throws Exception {
        for (String path : new String[] {"/", "/blobs/", "/blobs/../etc/passwd", "/blobs/x", path() + "x", "/blob"}) {
            assertThat(getAsMember(path, "bytes=0-9")).as(path).startsWith("HTTP/1.1 400 ");
        }
        for (String range : new String[] {
            "", "bytes=0-", "bytes=-5", "bytes=9-0", "bytes=0-1,3-4", "lines=0-1", "bytes=0-999999999999999999999"
        }) {
            assertThat(getAsMember(path(), range)).as(range).startsWith("HTTP/1.1 400 ");
        }
        assertThat(getAsMember(path(), "bytes=0-9", "00000000")).startsWith("HTTP/1.1 421 ");
        assertThat(getAsMember(path(), "bytes=299999-300000")).startsWith("HTTP/1.1 416 ");
        String missing = "/blobs/" + BlobKey.of(id(2));
        assertThat(getAsMember(missing, "bytes=0-9")).startsWith("HTTP/1.1 404 ");
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
        try (Socket socket = connect(server)) {
            String turn = turn(socket, path(), "bytes=0-9", store());
            String both = request(path(), headers(path(), turn, "bytes=0-9", store())) + request("/health", "");
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
            try (Socket socket = connect(server)) {
                String turn = turn(socket, path(), "bytes=0-299999", store());
                String request = request(path(), headers(path(), turn, "bytes=0-299999", store()));
                socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
                int ignored = socket.getInputStream().read();
            }
        }
        // After the test, everything on loan must have come back.
    }

    @Test
    void aRequestIsAnsweredOnce() throws Exception {
        read(server.local, 1, range(0, 1));
        Instance other = zone.start();
        try (Socket socket = connect(server);
                Socket anotherOne = connect(server);
                Socket ofAnother = connect(other)) {
            String first =
                    request(path(), headers(path(), turn(socket, path(), "bytes=0-9", store()), "bytes=0-9", store()));
            String answer = ask(socket, first);
            assertThat(answer).startsWith("HTTP/1.1 206 ");
            for (Socket where : new Socket[] {socket, anotherOne, ofAnother}) {
                assertThat(ask(where, first)).startsWith("HTTP/1.1 425 ");
            }
            // Nobody is kept from asking by what somebody repeats.
            String second = headers(path(), SignedHeaders.turn(answer), "bytes=5-9", store());
            assertThat(ask(socket, request(path(), second))).startsWith("HTTP/1.1 206 ");
            assertThat(ask(socket, request(path(), second))).startsWith("HTTP/1.1 425 ");
        }
        assertThat(get("/health", "")).startsWith("HTTP/1.1 200 ");
        assertThat(server.metrics.value(Counter.PEER_REFUSALS)).isEqualTo(3);
        assertThat(other.metrics.value(Counter.PEER_REFUSALS)).isEqualTo(1);
    }

    /** A request of this connection, at the time when another one is its turn. */
    @Test
    void aRequestBeforeItsTurnIsNotAnswered() throws Exception {
        try (Socket socket = connect(server)) {
            String turn = turn(socket, path(), "bytes=0-9", store());
            assertThat(turn).endsWith(".0");
            for (String wrong : new String[] {turn.replace(".0", ".1"), turn + "0", "x" + turn, ".0", "0"}) {
                String request = request(path(), headers(path(), wrong, "bytes=0-9", store()));
                assertThat(ask(socket, request)).as(wrong).startsWith("HTTP/1.1 425 ");
            }
            assertThat(zone.gets()).isZero();
            assertThat(ask(socket, request(path(), headers(path(), turn, "bytes=0-9", store()))))
                    .startsWith("HTTP/1.1 206 ");
        }
    }
}
