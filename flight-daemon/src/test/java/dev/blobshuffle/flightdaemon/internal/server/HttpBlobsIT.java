package dev.blobshuffle.flightdaemon.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flight.FlightShuffles;
import dev.blobshuffle.flightdaemon.internal.server.FlightConfig.Security;
import dev.blobshuffle.flightdaemon.internal.server.HttpClientSocket.Answer;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpConfig;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpConfig.Limits;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpConfig.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Serves blobs by plain HTTP to correct clients and to clients that misbehave. */
class HttpBlobsIT {
    private static final Limits SHORT =
            new Limits(64, 64, Duration.ofMillis(500), Duration.ofSeconds(60), Duration.ofSeconds(1));

    private final SystemTime time = new SystemTime();

    @TempDir
    private Path directory;

    @TempDir
    private Path others;

    private ArrowStore store;
    private FlightDaemon daemon;
    private int port;

    @BeforeEach
    void start() {
        store = new ArrowStore(directory);
        start(Limits.DEFAULT);
    }

    private void start(Limits limits) {
        daemon = FlightDaemon.start(
                Daemons.withHttp(
                        Daemons.config(
                                Map.of("default", List.of(directory), "other", List.of(others)),
                                new Security.InsecureLoopback(),
                                Optional.empty()),
                        Transport.AS_FLIGHT,
                        limits),
                time);
        port = Daemons.httpPort(daemon);
    }

    private void restart(Limits limits) {
        daemon.close();
        start(limits);
    }

    @AfterEach
    void close() {
        daemon.close();
        time.close();
    }

    private static String path(Path blob) {
        return "/default/" + blob.getParent().getFileName() + "/" + blob.getFileName();
    }

    private Answer ask(String method, String path, String headers) throws IOException {
        try (HttpClientSocket client = HttpClientSocket.plain(port)) {
            return client.ask(method, path, headers);
        }
    }

    private static String range(String range) {
        return "Range: " + range + "\r\n";
    }

    @Test
    void rangesAreThoseOfAnObjectStore() throws IOException {
        Path blob = store.write("s", 0, 0, List.of(List.of(store.batch(5000))));
        byte[] bytes = Files.readAllBytes(blob);
        int length = bytes.length;
        try (HttpClientSocket client = HttpClientSocket.plain(port)) {
            Answer whole = client.ask("GET", path(blob), "");
            assertThat(whole.status()).isEqualTo(200);
            assertThat(whole.body()).isEqualTo(bytes);
            assertThat(whole.header("accept-ranges")).isEqualTo("bytes");
            Map<String, int[]> ranges = Map.of(
                    "bytes=0-0", new int[] {0, 1},
                    "bytes=10-19", new int[] {10, 20},
                    "bytes=100-", new int[] {100, length},
                    "bytes=-24", new int[] {length - 24, length},
                    "bytes=-99999999999999999999", new int[] {0, length},
                    "bytes=4000-99999999999999999999", new int[] {4000, length},
                    "bytes=0-9223372036854775807", new int[] {0, length});
            for (Map.Entry<String, int[]> range : ranges.entrySet()) {
                Answer part = client.ask("GET", path(blob), range(range.getKey()));
                int[] ends = range.getValue();
                assertThat(part.status()).as(range.getKey()).isEqualTo(206);
                assertThat(part.body()).as(range.getKey()).isEqualTo(Arrays.copyOfRange(bytes, ends[0], ends[1]));
                assertThat(part.header("content-range"))
                        .isEqualTo("bytes " + ends[0] + "-" + (ends[1] - 1) + "/" + length);
            }
            assertThat(client.ask("GET", path(blob), range("rows=0-1")).status())
                    .isEqualTo(200);
        }
    }

    @Test
    void rangesWithoutBytesOrWithSeveralAreNotSatisfiable() throws IOException {
        Path blob = store.write("s", 0, 0, List.of(List.of(store.batch(5000))));
        long length = Files.size(blob);
        try (HttpClientSocket client = HttpClientSocket.plain(port)) {
            for (String range : List.of(
                    "bytes=" + length + "-",
                    "bytes=99999999999999999999-",
                    "bytes=-0",
                    "bytes=5-2",
                    "bytes=-5-9",
                    "bytes=--5",
                    "bytes=-",
                    "bytes=",
                    "bytes=1",
                    "bytes=+1-2",
                    "bytes=0x1-0x2",
                    "bytes=0-1,4-5",
                    "bytes=0-100,50-150",
                    "bytes=0-,0-,0-,0-,0-")) {
                Answer answer = client.ask("GET", path(blob), range(range));
                assertThat(answer.status()).as(range).isEqualTo(416);
                assertThat(answer.header("content-range")).isEqualTo("bytes */" + length);
                assertThat(answer.text()).contains("the header Range");
            }
            assertThat(client.ask("GET", path(blob), range("bytes=0-1") + range("bytes=4-5"))
                            .status())
                    .isEqualTo(400);
        }
    }

    @Test
    void headHasTheLengthAndTheIdentity() throws IOException {
        Path blob = store.write("s", 0, 0, List.of(List.of(store.batch(5000))));
        Path other = store.write("s", 1, 0, List.of(List.of(store.batch(5000))));
        try (HttpClientSocket client = HttpClientSocket.plain(port)) {
            Answer head = client.ask("HEAD", path(blob), range("bytes=0-1"));
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.head().length()).isEqualTo(Files.size(blob));
            String entity = head.header("etag");
            assertThat(entity).matches("\"1-0000000000abcdef-0-[0-9a-f]+-[0-9a-f]{8}\"");
            assertThat(client.ask("GET", path(blob), range("bytes=0-1")).header("etag"))
                    .isEqualTo(entity);
            assertThat(client.ask("HEAD", path(other), "").header("etag")).isNotEqualTo(entity);

            assertThat(client.ask("GET", path(blob), "If-Match: " + entity + "\r\n")
                            .status())
                    .isEqualTo(200);
            assertThat(client.ask("GET", path(other), "If-Match: " + entity + "\r\n")
                            .status())
                    .isEqualTo(412);
            assertThat(client.ask("GET", path(blob), "If-None-Match: \"x\", " + entity + "\r\n")
                            .status())
                    .isEqualTo(304);
            assertThat(client.ask("GET", path(blob), range("bytes=0-1") + "If-Range: " + entity + "\r\n")
                            .status())
                    .isEqualTo(206);
            assertThat(client.ask("GET", path(blob), range("bytes=0-1") + "If-Range: \"x\"\r\n")
                            .status())
                    .isEqualTo(200);
            assertThat(client.ask("HEAD", "/default/s/m7-a0-1-0000000000abcdef-7.blob", "")
                            .status())
                    .isEqualTo(404);
        }
    }

    @Test
    void whatIsUnknownIsNamed() throws IOException {
        Path blob = store.write("s", 0, 0, List.of(List.of(store.batch(8))));

        assertThat(ask("GET", "/elsewhere/s/" + blob.getFileName(), "").text()).contains("namespace elsewhere");
        assertThat(ask("GET", "/default/t/" + blob.getFileName(), "").text()).contains("shuffle t");
        assertThat(ask("GET", "/default/s/m9-a0-1-0000000000abcdef-0.blob", "").text())
                .contains("m9-a0-1-0000000000abcdef-0.blob");
        assertThat(ask("PUT", path(blob), "").header("allow")).isEqualTo("GET, HEAD");
    }

    @Test
    void pathsLeadToBlobsOfTheirShuffleOnly() throws IOException {
        Path blob = store.write("s", 0, 0, List.of(List.of(store.batch(8))));
        ArrowStore other = new ArrowStore(others);
        Path foreign = other.write("s", 0, 0, List.of(List.of(store.batch(8))));
        Path shuffles = directory.resolve("shuffles");
        Files.createSymbolicLink(shuffles.resolve("linked"), foreign.getParent());
        Path link = Files.createDirectories(shuffles.resolve("t")).resolve(foreign.getFileName());
        Files.createSymbolicLink(link, foreign);
        try (FlightShuffles flight = Daemons.client(daemon)) {
            flight.commit("s", 1);
        }
        Files.copy(blob, blob.resolveSibling(blob.getFileName() + ".tmp"));
        String name = blob.getFileName().toString();

        for (String path : List.of(
                "/",
                "//",
                "*",
                "/etc/passwd",
                "//etc/passwd",
                "/default/s",
                "/default/s/",
                "/default/s/" + name + "/",
                "/default//" + name,
                "/default/s/../s/" + name,
                "/default/../" + name,
                "/default/s/..",
                "/default/s/%2e%2e",
                "/default/%2e%2e/" + name,
                "/default/s/%2e%2e%2f" + name,
                "/default/..%2fshuffles%2fs/" + name,
                "/default/s/" + name.replace("m", "%6d"),
                "/default/s/" + name + "?x=y",
                "/default/s/" + name + "%00",
                "/default/s/" + name + ".tmp",
                "/default/s/flight.commit",
                "/default/linked/" + name,
                "/default/t/" + name,
                "http://a/default/s/" + name)) {
            assertThat(ask("GET", path, "").status()).as(path).isIn(400, 404);
        }
    }

    @Test
    void requestsThatCouldBeReadInTwoWaysEndTheConnection() throws IOException {
        Path blob = store.write("s", 0, 0, List.of(List.of(store.batch(8))));
        String start = "GET " + path(blob) + " HTTP/1.1\r\nHost: a\r\n";
        String second = "GET " + path(blob) + " HTTP/1.1\r\nHost: a\r\n\r\n";
        for (String request : List.of(
                start + "Content-Length: 0\r\nContent-Length: 5\r\n\r\n" + second,
                start + "Content-Length: 5, 0\r\n\r\n" + second,
                start + "Content-Length: " + second.length() + "\r\n\r\n" + second,
                start + "Content-Length: -1\r\n\r\n" + second,
                start + "Content-Length: x\r\n\r\n" + second,
                start + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + second,
                start + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + second,
                start + "Transfer-Encoding: xchunked\r\n\r\n" + second,
                start + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + second,
                start + "X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: 7\r\n\r\n" + second,
                start + "Host: b\r\n\r\n" + second,
                "GET " + path(blob) + " HTTP/1.1\r\n\r\n" + second,
                "GET " + path(blob) + "\r\n\r\n" + second,
                start + "X: " + "y".repeat(10_000) + "\r\n\r\n" + second,
                "GET /" + "y".repeat(10_000) + " HTTP/1.1\r\n\r\n" + second,
                "nonsense\r\n\r\n" + second)) {
            try (HttpClientSocket client = HttpClientSocket.plain(port)) {
                client.send(request);
                HttpClientSocket.Head head = client.head();
                assertThat(head.status()).as(request).isEqualTo(400);
                assertThat(client.rest()).as(request).isLessThanOrEqualTo(head.length());
            }
        }
    }

    @Test
    void aFoldedHeaderIsOneHeader() throws IOException {
        Path blob = store.write("s", 0, 0, List.of(List.of(store.batch(8))));
        try (HttpClientSocket client = HttpClientSocket.plain(port)) {
            Answer answer = client.ask("GET", path(blob), "X: y\r\n Content-Length: 9\r\nRange: bytes=0-3\r\n");
            assertThat(answer.status()).isEqualTo(206);
            assertThat(client.ask("GET", path(blob), range("bytes=0-4")).body()).hasSize(5);
        }
    }

    @Test
    void requestsSentAheadAreAnsweredInOrder() throws IOException {
        Path blob = store.write("s", 0, 0, List.of(List.of(store.batch(5000))));
        byte[] bytes = Files.readAllBytes(blob);
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            requests.append(
                    "GET " + path(blob) + " HTTP/1.1\r\nHost: a\r\n" + range("bytes=" + i + "-" + 2 * i) + "\r\n");
        }
        try (HttpClientSocket client = HttpClientSocket.plain(port)) {
            client.send(requests.toString());
            for (int i = 0; i < 200; i++) {
                assertThat(client.body((int) client.head().length()))
                        .isEqualTo(Arrays.copyOfRange(bytes, i, 2 * i + 1));
            }
        }
    }

    @Test
    void aThousandIdleConnectionsMakeRoom() throws IOException {
        restart(new Limits(100, 100, Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(60)));
        Path blob = store.write("s", 0, 0, List.of(List.of(store.batch(8))));
        List<HttpClientSocket> idle = new ArrayList<>();
        try (HttpClientSocket known = HttpClientSocket.plain(port)) {
            assertThat(known.ask("GET", path(blob), "").status()).isEqualTo(200);
            for (int i = 0; i < 1000; i++) {
                idle.add(HttpClientSocket.plain(port));
            }
            assertThat(ask("GET", path(blob), "").status()).isEqualTo(200);
            assertThat(known.ask("GET", path(blob), "").status()).isEqualTo(200);
            try (FlightShuffles flight = Daemons.client(daemon)) {
                assertThat(flight.stats()).containsPattern("\"http_connections\":[0-9]{1,2}[0,]");
            }
        } finally {
            for (HttpClientSocket one : idle) {
                one.close();
            }
        }
    }

    @Test
    void aRequestThatDoesNotEndIsDisconnected() throws IOException {
        restart(SHORT);
        try (HttpClientSocket silent = HttpClientSocket.plain(port);
                HttpClientSocket slow = HttpClientSocket.plain(port)) {
            slow.send("GET /default/s/b HTTP/1.1\r\nHost: a\r\nX: ");
            assertThat(silent.rest()).isZero();
            assertThat(slow.rest()).isZero();
        }
    }

    @Test
    void aClientThatReadsNothingIsDisconnected() throws IOException {
        restart(SHORT);
        Path blob = store.write("s", 0, 0, List.of(List.of(store.batch(64 << 20))));
        try (HttpClientSocket slow = HttpClientSocket.plain(port)) {
            slow.send("GET " + path(blob) + " HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(slow.head().length()).isEqualTo(Files.size(blob));
            try (FlightShuffles flight = Daemons.client(daemon)) {
                while (!flight.stats().contains("\"stalls\":1")) {
                    Thread.onSpinWait();
                }
            }
            assertThat(slow.rest()).isLessThan(Files.size(blob));
        }
    }

    @Test
    void aFileTruncatedWhileItIsSentEndsTheConnection() throws IOException {
        Path blob = store.write("s", 0, 0, List.of(List.of(store.batch(64 << 20))));
        long length = Files.size(blob);
        try (HttpClientSocket client = HttpClientSocket.plain(port)) {
            client.send("GET " + path(blob) + " HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.head().length()).isEqualTo(length);
            Damage.truncate(blob, 1000);
            assertThat(client.rest()).isLessThan(length);
        }
        try (FlightShuffles flight = Daemons.client(daemon)) {
            assertThat(flight.stats()).contains("\"failures\":1");
        }
    }

    @Test
    void aBlobReplacedAfterItsRegistrationIsRefused() throws IOException {
        Path blob = store.write("s", 0, 0, List.of(List.of(store.batch(200))));
        String before = ask("HEAD", path(blob), "").header("etag");
        byte[] another = ArrowStore.blob(new BlobId(1, 0xabcdefL, 0), "s", 0, 0, List.of(List.of(store.batch(200))));
        Files.write(blob, another);
        Answer changed = ask("GET", path(blob), "");
        assertThat(changed.header("etag")).isNotEqualTo(before);
        assertThat(ask("GET", path(blob), "If-Match: " + before + "\r\n").status())
                .isEqualTo(412);

        try (FlightShuffles flight = Daemons.client(daemon)) {
            flight.commit("s", 1);
        }
        Files.write(blob, ArrowStore.blob(new BlobId(1, 0xabcdefL, 0), "s", 0, 0, List.of(List.of(store.batch(200)))));
        assertThat(ask("GET", path(blob), "").status()).isEqualTo(409);
        Damage.truncate(blob, 10);
        assertThat(ask("GET", path(blob), "").text()).contains("map 0, attempt 0, of shuffle s");
    }

    @Test
    void aReleasedBlobIsSentToItsEnd() throws IOException {
        Path blob = store.write("s", 0, 0, List.of(List.of(store.batch(32 << 20))));
        long length = Files.size(blob);
        try (HttpClientSocket client = HttpClientSocket.plain(port);
                FlightShuffles flight = Daemons.client(daemon)) {
            client.send("GET " + path(blob) + " HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.head().length()).isEqualTo(length);
            flight.release("s");
            assertThat(client.body((int) length)).hasSize((int) length);
            assertThat(client.ask("GET", path(blob), "").status()).isEqualTo(404);
        }
    }

    @Test
    void aPortThatIsTakenIsNamed() {
        FlightConfig config = Daemons.insecure(Map.of("other", List.of(others)));
        HttpConfig taken = new HttpConfig("127.0.0.1", port, Transport.AS_FLIGHT, Limits.DEFAULT);

        assertThatThrownBy(() -> FlightDaemon.start(Daemons.withHttp(config, taken), time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("Cannot listen at 127.0.0.1:" + port + " for HTTP");
    }

    @Test
    void withoutTlsItListensToThisMachineOnly() {
        FlightConfig config = Daemons.insecure(Map.of("default", List.of(directory)));

        assertThatThrownBy(() ->
                        Daemons.withHttp(config, new HttpConfig("0.0.0.0", 0, Transport.PLAIN_TEXT, Limits.DEFAULT)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("other machines could read all partitions");
    }
}
