package dev.blobshuffle.flightdaemon.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flight.FlightShuffles;
import dev.blobshuffle.flightdaemon.internal.blob.MapSet;
import dev.blobshuffle.flightdaemon.internal.blob.PartitionRange;
import dev.blobshuffle.flightdaemon.internal.server.HttpClientSocket.Answer;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpConfig.Limits;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpConfig.Transport;
import dev.blobshuffle.flightdaemon.internal.ticket.Ticket;
import dev.blobshuffle.flightdaemon.internal.ticket.TicketSigner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks who may read which bytes by HTTP over TLS. */
class HttpAccessIT {
    private static final String TOKEN = SecureDaemon.TOKEN;
    private static final byte[] KEY = SecureDaemon.KEY;

    @TempDir
    private static Path files;

    private static SecureDaemon secure;

    private final SystemTime time = new SystemTime();

    @TempDir
    private Path directory;

    private ArrowStore store;
    private FlightDaemon daemon;
    private Path blob;
    private String path;

    @BeforeAll
    static void makeFiles() throws IOException {
        secure = new SecureDaemon(files);
    }

    @BeforeEach
    void start() throws IOException {
        store = new ArrowStore(directory);
        blob = store.write("s", 0, 0, List.of(List.of(store.batch(800)), List.of(store.batch(160)), List.of()));
        store.write("s", 1, 0, List.of(List.of(store.batch(8)), List.of(), List.of()));
        store.write("t", 0, 0, List.of(List.of(store.batch(8))));
        path = "/default/s/" + blob.getFileName();
        daemon = start(Transport.AS_FLIGHT);
        try (FlightShuffles flight = secure.client(daemon, TOKEN)) {
            flight.commit("s", 2);
        }
    }

    private FlightDaemon start(Transport transport) {
        return FlightDaemon.start(Daemons.withHttp(secure.config(directory), transport, Limits.DEFAULT), time);
    }

    @AfterEach
    void close() {
        daemon.close();
        time.close();
    }

    private HttpClientSocket connect() throws IOException {
        return new HttpClientSocket(secure.identity().clientContext().getSocketFactory(), Daemons.httpPort(daemon));
    }

    private Answer get(String authorization, String range) throws IOException {
        return ask("GET", path, authorization, range);
    }

    private Answer ask(String method, String asked, String authorization, String range) throws IOException {
        try (HttpClientSocket client = connect()) {
            return client.ask(
                    method,
                    asked,
                    (authorization.isEmpty() ? "" : "Authorization: " + authorization + "\r\n")
                            + (range.isEmpty() ? "" : "Range: bytes=" + range + "\r\n"));
        }
    }

    private String ticket(String namespace, String shuffle, PartitionRange partitions, MapSet maps, long validMillis) {
        return bearer(new TicketSigner(KEY, time)
                .sign(new Ticket(namespace, shuffle, partitions, maps, 0, time.wallMillis() + validMillis)));
    }

    private static String bearer(byte[] ticket) {
        return "Bearer " + Base64.getEncoder().encodeToString(ticket);
    }

    @Test
    void aTokenOpensTheBlobsOfItsNamespace() throws IOException {
        assertThat(get("Bearer " + TOKEN, "").body()).isEqualTo(Files.readAllBytes(blob));

        for (String none : List.of(
                "",
                "Bearer",
                "Bearer ",
                "Bearer wrong",
                "Bearer " + TOKEN.replace('0', '7'),
                "Basic " + TOKEN,
                TOKEN,
                "bearer " + TOKEN,
                "Bearer  " + TOKEN)) {
            Answer refused = get(none, "");
            assertThat(refused.status()).as(none).isEqualTo(401);
            assertThat(refused.header("www-authenticate")).isEqualTo("Bearer");
            assertThat(refused.text()).contains("Send the header 'authorization: Bearer TOKEN'");
            assertThat(refused.header("connection")).isEqualTo("close");
        }
        assertThat(get("Bearer " + SecureDaemon.OTHER_TOKEN, "").status()).isEqualTo(403);
        assertThat(ask("GET", "/elsewhere/s/x", "", "").status()).isEqualTo(401);
        assertThat(ask("GET", path, "Bearer " + TOKEN + "\r\nAuthorization: Bearer wrong", "")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void aTicketOpensTheSegmentsOfItsPartitions() throws IOException {
        byte[] bytes = Files.readAllBytes(blob);
        int first = ArrowStore.SCHEMA.length;
        int second = first + 840;
        int end = second + 200;
        MapSet maps = new MapSet.Committed(2);
        String zero = ticket("default", "s", PartitionRange.of(0), maps, 60_000);
        String one = ticket("default", "s", PartitionRange.of(1), maps, 60_000);
        String both = ticket("default", "s", new PartitionRange(0, 2), maps, 60_000);

        assertThat(get(zero, first + "-" + (second - 1)).body()).isEqualTo(Arrays.copyOfRange(bytes, first, second));
        assertThat(get(zero, "0-" + (second - 1)).status()).isEqualTo(206);
        assertThat(get(one, second + "-" + (end - 1)).status()).isEqualTo(206);
        assertThat(get(one, second + "-").status()).isEqualTo(206);
        assertThat(get(one, end + "-").status()).isEqualTo(206);
        assertThat(get(both, "").body()).isEqualTo(bytes);
        assertThat(ask("HEAD", path, one, "").head().length()).isEqualTo(bytes.length);

        assertThat(get(zero, "").status()).isEqualTo(403);
        assertThat(get(zero, "0-" + second).status()).isEqualTo(403);
        assertThat(get(zero, first + "-").status()).isEqualTo(403);
        assertThat(get(one, "0-" + (second - 1)).status()).isEqualTo(403);
        assertThat(get(one, (second - 1) + "-" + (end - 1)).status()).isEqualTo(403);
        assertThat(get(one, "0-").status()).isEqualTo(403);
    }

    @Test
    void aTicketOfOthersOpensNothing() throws IOException {
        PartitionRange all = new PartitionRange(0, 3);
        MapSet first = new MapSet.Listed(List.of(new MapSet.Attempt(0, 0)));
        assertThat(get(ticket("default", "s", all, first, 60_000), "").status()).isEqualTo(200);

        MapSet second = new MapSet.Listed(List.of(new MapSet.Attempt(1, 0)));
        MapSet attempt = new MapSet.Listed(List.of(new MapSet.Attempt(0, 1)));
        assertThat(get(ticket("default", "s", all, second, 60_000), "").status())
                .isEqualTo(403);
        assertThat(get(ticket("default", "s", all, attempt, 60_000), "").status())
                .isEqualTo(403);
        assertThat(get(ticket("default", "s", all, new MapSet.Committed(1), 60_000), "")
                        .status())
                .isEqualTo(403);
        assertThat(get(ticket("default", "t", all, first, 60_000), "").status()).isEqualTo(403);
        assertThat(get(ticket("other", "s", all, first, 60_000), "").status()).isEqualTo(403);
        Answer expired = get(ticket("default", "s", all, first, -5_000), "");
        assertThat(expired.status()).isEqualTo(401);
        assertThat(expired.text()).contains("it expired 5 s ago");
        byte[] forged = new TicketSigner("x".repeat(40).getBytes(StandardCharsets.US_ASCII), time)
                .sign(new Ticket("default", "s", all, first, 0, time.wallMillis() + 60_000));
        assertThat(get(bearer(forged), "").status()).isEqualTo(401);
        byte[] changed =
                new TicketSigner(KEY, time).sign(new Ticket("default", "t", all, first, 0, time.wallMillis() + 60_000));
        changed[changed.length - 40] ^= 1;
        assertThat(get(bearer(changed), "").status()).isEqualTo(401);
    }

    @Test
    void aFileTruncatedWhileItIsSentEndsTheConnection() throws IOException {
        Path large = store.write("u", 0, 0, List.of(List.of(store.batch(64 << 20))));
        long length = Files.size(large);
        try (HttpClientSocket client = connect()) {
            client.send("GET /default/u/" + large.getFileName() + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
                    + TOKEN + "\r\n\r\n");
            assertThat(client.head().length()).isEqualTo(length);
            Damage.truncate(large, 1000);
            assertThat(client.rest()).isLessThan(length);
        }
    }

    @Test
    void plainTextIsServedWhenItIsChosenOnly() throws IOException {
        try (HttpClientSocket plain = HttpClientSocket.plain(Daemons.httpPort(daemon))) {
            assertThatThrownBy(() -> plain.ask("GET", path, "Authorization: Bearer " + TOKEN + "\r\n"))
                    .isInstanceOf(Exception.class);
        }
        daemon.close();
        daemon = start(Transport.PLAIN_TEXT);
        assertThat(daemon.httpLocation().orElseThrow()).startsWith("http://");
        assertThat(daemon.location()).startsWith("grpc+tls://");
        try (HttpClientSocket plain = HttpClientSocket.plain(Daemons.httpPort(daemon))) {
            assertThat(plain.ask("GET", path, "Authorization: Bearer " + TOKEN + "\r\n")
                            .body())
                    .isEqualTo(Files.readAllBytes(blob));
        }
        try (HttpClientSocket plain = HttpClientSocket.plain(Daemons.httpPort(daemon))) {
            assertThat(plain.ask("GET", path, "").status()).isEqualTo(401);
        }
    }
}
