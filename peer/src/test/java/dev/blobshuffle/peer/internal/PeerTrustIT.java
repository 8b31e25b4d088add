package dev.blobshuffle.peer.internal;

import static dev.blobshuffle.peer.internal.ZoneFixture.expected;
import static dev.blobshuffle.peer.internal.ZoneFixture.range;
import static dev.blobshuffle.peer.internal.ZoneFixture.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.internal.membership.PeerTransport;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.peer.internal.ZoneFixture.Instance;
import dev.blobshuffle.peer.internal.settings.PeerOptions;
import dev.blobshuffle.peer.internal.trust.PeerTls;
import dev.blobshuffle.peer.internal.trust.PeerTrust;
import dev.blobshuffle.testkit.LoanCheck;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Bytes of somebody who is no member, or that somebody changed on their way, are never used. */
class PeerTrustIT {
    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    @TempDir
    Path directory;

    private final ZoneFixture zone = new ZoneFixture(loans);

    @AfterEach
    void end() {
        zone.close();
    }

    private static PeerOptions options(PeerTransport transport, String secret) {
        return options(
                new PeerTrust(Optional.of(PeerSecrets.of(ZoneFixture.secret(secret))), Optional.empty(), transport));
    }

    private static PeerOptions options(PeerTrust trust) {
        PeerOptions usual = ZoneFixture.options(ZoneFixture.SECRET);
        return new PeerOptions(
                usual.zone(), usual.listen(), usual.advertised(), trust, usual.silence(), usual.limits());
    }

    private static PeerOptions members(PeerTransport transport) {
        return options(transport, "known to all members");
    }

    /** A reader that knows one other member, at this address. */
    private Instance reader(PeerOptions options, Endpoint other) {
        Instance reader = zone.start(options);
        zone.members().clear();
        zone.join(other, 50);
        return reader;
    }

    private void readAll(Instance reader, int blobs) throws Exception {
        for (int i = 0; i < blobs; i++) {
            assertThat(read(reader.zoned(), i, range(1000, 200_000))).isEqualTo(expected(i, range(1000, 200_000)));
        }
    }

    private Instance serverOf(PeerOptions options, int blobs) throws Exception {
        for (int i = 0; i < blobs; i++) {
            zone.put(i);
        }
        return zone.start(options);
    }

    @Test
    void tlsNeedsNothingButTheSecretAndShowsNoByte() throws Exception {
        Instance server = serverOf(members(PeerTransport.TLS), 3);
        try (ChangingProxy overhearing = new ChangingProxy(server.endpoint, false)) {
            Instance reader = reader(members(PeerTransport.TLS), overhearing.endpoint());
            readAll(reader, 3);
            assertThat(reader.metrics.value(Counter.CACHE_ZONE_HITS)).isEqualTo(3);
            String seen = new String(overhearing.seen(), StandardCharsets.ISO_8859_1);
            String part = new String(expected(0, range(5000, 64)), StandardCharsets.ISO_8859_1);
            assertThat(seen.contains(part)).isFalse();
            assertThat(seen.contains("Authorization") || seen.contains("authorization"))
                    .isFalse();
        }
    }

    @Test
    void aServerWithAnotherSecretIsNotReadOverTls() throws Exception {
        Instance stranger = serverOf(options(PeerTransport.TLS, "known to somebody else"), 3);
        Instance reader = reader(members(PeerTransport.TLS), stranger.endpoint);
        readAll(reader, 3);
        assertThat(reader.metrics.value(Counter.CACHE_ZONE_HITS)).isZero();
        assertThat(reader.metrics.value(Counter.CACHE_ZONE_FAILURES)).isPositive();
        assertThat(stranger.metrics.value(Counter.PEER_BYTES)).isZero();
    }

    @Test
    void aByteThatIsChangedOnItsWayIsFoundInEveryTransport() throws Exception {
        for (PeerTransport transport : new PeerTransport[] {PeerTransport.TLS, PeerTransport.MAC}) {
            Instance server = serverOf(members(transport), 3);
            try (ChangingProxy changing = new ChangingProxy(server.endpoint, true)) {
                Instance reader = reader(members(transport), changing.endpoint());
                readAll(reader, 3);
                assertThat(reader.metrics.value(Counter.CACHE_ZONE_HITS))
                        .as("%s", transport)
                        .isZero();
                assertThat(reader.metrics.value(Counter.CACHE_ZONE_FAILURES)).isPositive();
            }
        }
    }

    @Test
    void sealedAnswersComeFromMemoryAndFromDisk() throws Exception {
        zone.memory(2L * ZoneFixture.SECTION);
        zone.disk(directory);
        Instance server = serverOf(members(PeerTransport.MAC), 6);
        for (int i = 0; i < 6; i++) {
            read(server.zoned(), i, range(0, 1));
            ZoneIT.awaitKept(server, i);
        }
        zone.disk(directory.resolveSibling("unused"));
        Instance reader = reader(members(PeerTransport.MAC), server.endpoint);
        readAll(reader, 6);
        assertThat(reader.metrics.value(Counter.CACHE_ZONE_HITS)).isEqualTo(6);
        assertThat(server.metrics.value(Counter.CACHE_DISK_HITS)).isPositive();
    }

    /** It repeats what a member once answered to the very same question, of another nonce. */
    @Test
    void anAnswerIsNotAcceptedTwice() throws Exception {
        for (PeerTransport transport : new PeerTransport[] {PeerTransport.AUTO, PeerTransport.MAC}) {
            Instance server = serverOf(members(transport), 1);
            byte[] answer;
            try (ChangingProxy overhearing = new ChangingProxy(server.endpoint, false)) {
                Instance reader = reader(members(transport), overhearing.endpoint());
                readAll(reader, 1);
                assertThat(reader.metrics.value(Counter.CACHE_ZONE_HITS)).isEqualTo(1);
                byte[] seen = overhearing.seen();
                int start = new String(seen, StandardCharsets.ISO_8859_1).lastIndexOf("HTTP/1.1 206");
                answer = Arrays.copyOfRange(seen, start, seen.length);
            }
            try (StrangePeer repeating = StrangePeer.that((length, out) -> out.write(answer))) {
                Instance reader = reader(members(transport), repeating.endpoint());
                readAll(reader, 1);
                assertThat(reader.metrics.value(Counter.CACHE_ZONE_HITS)).isZero();
                assertThat(reader.metrics.value(Counter.CACHE_ZONE_FAILURES)).isEqualTo(1);
            }
        }
    }

    /** As an instance of before did, or somebody who wants to overhear. */
    @Test
    void nothingIsAnsweredInTheClearWhereTlsIsAsked() throws Exception {
        Instance server = serverOf(members(PeerTransport.TLS), 1);
        try (Socket socket = new Socket(server.endpoint.host(), server.endpoint.port())) {
            socket.getOutputStream()
                    .write("GET /health HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
        assertThat(server.metrics.value(Counter.PEER_REFUSALS)).isEqualTo(1);
    }

    /**
     * Members that are upgraded and those that are not yet, in both directions: reads go to the
     * store.
     */
    @Test
    void membersWithDifferentTransportsDoNotShareAndReadTheStore() throws Exception {
        Instance tls = serverOf(members(PeerTransport.TLS), 2);
        Instance plain = reader(members(PeerTransport.AUTO), tls.endpoint);
        readAll(plain, 2);
        assertThat(plain.metrics.value(Counter.CACHE_ZONE_HITS)).isZero();
        try (StrangePeer old = StrangePeer.that((length, out) -> {
            out.write(StrangePeer.head("206 Partial Content", length));
            out.write(expected(0, range(1000, length)));
        })) {
            Instance reader = reader(members(PeerTransport.AUTO), old.endpoint());
            readAll(reader, 1);
            assertThat(reader.metrics.value(Counter.CACHE_ZONE_HITS)).isZero();
        }
    }

    @Test
    void onlyLoopbackIsPlainByDefault() {
        PeerTrust trust = members(PeerTransport.AUTO).trust();
        for (String host : new String[] {"127.0.0.1", "127.1.2.3", "localhost", "::1", "0:0:0:0:0:0:0:1"}) {
            assertThat(trust.usesTls(new Endpoint(host, 1))).as(host).isFalse();
        }
        for (String host :
                new String[] {"10.0.0.7", "127.example.com", "localhost.example.com", "::2", "fe80::1", "0.0.0.0"}) {
            assertThat(trust.usesTls(new Endpoint(host, 1))).as(host).isTrue();
        }
        assertThat(trust.acceptsPlain(false)).isFalse();
    }

    @Test
    void certificatesGoWithTlsOnly() throws Exception {
        PeerTls files = PemFiles.create(directory).tls();
        assertThatThrownBy(() -> new PeerTrust(
                        Optional.of(PeerSecrets.of(ZoneFixture.SECRET)), Optional.of(files), PeerTransport.MAC))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("peer.transport");
    }

    @Test
    void certificatesAreRotatedWhileConnectionsGoOn() throws Exception {
        PemFiles before = PemFiles.create(directory.resolve("before"));
        PemFiles after = PemFiles.create(directory.resolve("after"));
        PemFiles used = new PemFiles(directory.resolve("certificate.pem"), directory.resolve("key.pem"));
        replace(before, used);
        PeerTls rotating = used.tls();
        Instance server = serverOf(options(trust(rotating)), 4);
        Instance early = reader(options(trust(before.tls())), server.endpoint);
        assertThat(read(early.zoned(), 0, range(0, 100))).isEqualTo(expected(0, range(0, 100)));
        Files.writeString(used.certificate(), "half a certific");
        assertThat(read(early.zoned(), 1, range(0, 100))).isEqualTo(expected(1, range(0, 100)));
        replace(after, used);

        Instance late = reader(options(trust(after.tls())), server.endpoint);
        assertThat(read(late.zoned(), 2, range(0, 100))).isEqualTo(expected(2, range(0, 100)));
        assertThat(late.metrics.value(Counter.CACHE_ZONE_HITS)).isEqualTo(1);
        // Over the connection that was open before.
        assertThat(read(early.zoned(), 3, range(0, 100))).isEqualTo(expected(3, range(0, 100)));
        assertThat(early.metrics.value(Counter.CACHE_ZONE_HITS)).isEqualTo(3);
    }

    private static PeerTrust trust(PeerTls certificates) {
        return new PeerTrust(Optional.empty(), Optional.of(certificates), PeerTransport.AUTO);
    }

    private static void replace(PemFiles from, PemFiles to) throws Exception {
        for (Path[] file : new Path[][] {{from.key(), to.key()}, {from.certificate(), to.certificate()}}) {
            Path copy = Files.copy(file[0], file[1].resolveSibling("new"), StandardCopyOption.COPY_ATTRIBUTES);
            Files.move(copy, file[1], StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /**
     * A thousand clients send half a request each and wait. Members notice nothing, from the same
     * address either.
     */
    @Test
    void aThousandHalfRequestsKeepNobodyFromReading() throws Exception {
        Instance server = serverOf(members(PeerTransport.AUTO), 3);
        Instance reader = reader(members(PeerTransport.AUTO), server.endpoint);
        java.util.List<Socket> slow = new java.util.ArrayList<>();
        try {
            readAll(reader, 1);
            for (int i = 0; i < 1_000; i++) {
                Socket socket = new Socket(server.endpoint.host(), server.endpoint.port());
                slow.add(socket);
                socket.getOutputStream().write("GET /health HTTP/1.1\r\nX".getBytes(StandardCharsets.US_ASCII));
            }
            readAll(reader, 3);
            // The server's other thread may still be admitting the last of them.
            await().untilAsserted(() -> assertThat(server.metrics.value(Counter.PEER_CONNECTIONS_ENDED))
                    .isGreaterThanOrEqualTo(700));
            Instance another = reader(members(PeerTransport.AUTO), server.endpoint);
            readAll(another, 3);
            assertThat(another.metrics.value(Counter.CACHE_ZONE_HITS)).isEqualTo(3);
            assertThat(reader.metrics.value(Counter.CACHE_ZONE_HITS)).isEqualTo(4);
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void aRequestThatIsNotWholeInTimeEndsItsConnection() throws Exception {
        PeerOptions usual = members(PeerTransport.AUTO);
        PeerOptions hasty = new PeerOptions(
                usual.zone(),
                usual.listen(),
                usual.advertised(),
                usual.trust(),
                usual.silence(),
                new PeerOptions.Limits(10, 10, 10, Duration.ofMillis(200)));
        Instance server = serverOf(hasty, 1);
        for (String begun : new String[] {"", "GET /hea", "\u0016\u0003\u0001\u0002"}) {
            try (Socket socket = new Socket(server.endpoint.host(), server.endpoint.port())) {
                socket.getOutputStream().write(begun.getBytes(StandardCharsets.ISO_8859_1));
                assertThat(socket.getInputStream().read()).as(begun).isEqualTo(-1);
            }
        }
        assertThat(server.metrics.value(Counter.PEER_CONNECTIONS_ENDED)).isEqualTo(3);
        try (Socket socket = new Socket(server.endpoint.host(), server.endpoint.port())) {
            byte[] request = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
            socket.getOutputStream().write(request);
            assertThat(new String(socket.getInputStream().readNBytes(15), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 200");
            // The second one of this connection stops in the middle.
            socket.getOutputStream().write(request, 0, 5);
            assertThat(socket.getInputStream().readAllBytes()).isNotNull();
        }
        assertThat(server.metrics.value(Counter.PEER_CONNECTIONS_ENDED)).isEqualTo(4);
    }
}
