package dev.blobshuffle.peer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.combine.CombineOptions;
import dev.blobshuffle.core.internal.combine.Hub;
import dev.blobshuffle.core.internal.combine.PartAnswer;
import dev.blobshuffle.core.internal.combine.PartRefusedException;
import dev.blobshuffle.core.internal.combine.PartRefusedException.Reason;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.format.record.BlobVerifier;
import dev.blobshuffle.core.internal.format.record.FrameEncoder;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordLayout;
import dev.blobshuffle.core.internal.format.record.SegmentSource;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.internal.membership.PeerTransport;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.peer.internal.ZoneFixture.Instance;
import dev.blobshuffle.peer.internal.message.PartRequest;
import dev.blobshuffle.peer.internal.settings.PeerOptions;
import dev.blobshuffle.peer.internal.trust.MemberKeys;
import dev.blobshuffle.peer.internal.trust.PeerTrust;
import dev.blobshuffle.peer.internal.trust.RequestProof;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Parts over real sockets: to hubs, to members that are none, and from strangers. */
class PartsIT {
    private static final int OWNER = 7;
    private static final int PART = 1 << 20;

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final ZoneFixture zone = new ZoneFixture(loans);
    private Hub hub;

    @AfterEach
    void end() {
        if (hub != null) {
            hub.close();
        }
        zone.close();
    }

    private static PeerOptions options(PeerTransport transport, Duration limit) {
        return new PeerOptions(
                ZoneFixture.ZONE,
                Optional.of(new Endpoint("127.0.0.1", 0)),
                Optional.empty(),
                new PeerTrust(Optional.of(PeerSecrets.of(ZoneFixture.SECRET)), Optional.empty(), transport),
                Duration.ofSeconds(20),
                new PeerOptions.Limits(1024, 256, 128, limit));
    }

    private Instance serve(Instance instance, long bufferBytes) {
        hub = new Hub(
                instance.local,
                CombineOptions.of(PART, 16 << 20, bufferBytes),
                zone.time(),
                instance.metrics,
                new Hub.Names(99, 0),
                owner -> owner == OWNER);
        instance.network.combineBy(hub);
        return instance;
    }

    private static BlobId id(int owner, long writer) {
        return new BlobId(owner, 29_700_000, writer, 0);
    }

    private BlobLayout layout(BlobId id, int bytes) {
        byte[] value = new byte[bytes];
        byte[] body = new byte[bytes + 64];
        int length = RecordLayout.encode(body, 0, 0, null, value, Headers.NONE);
        try (FrameEncoder encoder = new FrameEncoder(Codec.NONE)) {
            List<SegmentSource> segments = new ArrayList<>();
            for (int partition = 0; partition < 20; partition++) {
                segments.add(new SegmentSource(
                        ZoneFixture.ZONE,
                        new Partition("t", partition),
                        "lane",
                        5,
                        5,
                        List.of(encoder.encode(body, 0, length, 1, 5))));
            }
            return BlobLayout.of(id, zone.origin().fingerprint(), 0, segments);
        }
    }

    private static byte[] bytes(BlobLayout layout) {
        ByteBuffer joined = ByteBuffer.allocate((int) layout.length());
        layout.buffers().forEach(buffer -> joined.put(buffer.duplicate()));
        return joined.array();
    }

    private CompletableFuture<PartAnswer> hand(Instance from, Instance to, BlobLayout part) {
        TrackedContent content = loans.content(bytes(part));
        Member member = new Member(to.id, to.endpoint, ZoneFixture.ZONE, Set.of(), 3);
        CompletableFuture<PartAnswer> answer =
                from.network.handOver().to(member, part.id(), content).toCompletableFuture();
        content.release();
        return answer;
    }

    private static Reason refusal(CompletableFuture<PartAnswer> answer) throws Exception {
        return ((PartRefusedException) failure(answer)).reason();
    }

    private static Throwable failure(CompletableFuture<PartAnswer> answer) throws Exception {
        return answer.handle((given, failure) -> {
                    assertThat(failure).as("answered: " + given).isNotNull();
                    return failure instanceof CompletionException ? failure.getCause() : failure;
                })
                .get(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource
    void aHubStoresPartsTogether(PeerTransport transport) throws Exception {
        PeerOptions options = options(transport, Duration.ofMinutes(1));
        Instance server = serve(zone.start(options), 64 << 20);
        Instance first = zone.start(options);
        Instance second = zone.start(options);
        for (int round = 0; round < 3; round++) {
            BlobLayout one = layout(new BlobId(OWNER, 29_700_000, 1, round), 10_000);
            BlobLayout two = layout(new BlobId(OWNER, 29_700_000, 2, round), 20_000);
            CompletableFuture<PartAnswer> a = hand(first, server, one);
            CompletableFuture<PartAnswer> b = hand(second, server, two);
            for (PartAnswer answer : List.of(a.get(60, TimeUnit.SECONDS), b.get(60, TimeUnit.SECONDS))) {
                assertThat(verified(answer.id()).segments())
                        .hasSize(answer.table().size());
                assertThat(answer.places()).hasSize(20);
            }
        }
        assertThat(server.metrics.value(Counter.PARTS_TAKEN)).isEqualTo(6);
        assertThat(server.metrics.value(Gauge.COMBINE_BUFFER_USED)).isZero();
    }

    private Footer verified(BlobId id) throws Exception {
        long length = zone.origin().length(id).toCompletableFuture().get(60, TimeUnit.SECONDS);
        return BlobVerifier.verify(ByteBuffer.wrap(ZoneFixture.bytes(zone.origin()
                .get(id, new BlobRange(0, length, 0, length))
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS))));
    }

    @Test
    void aMemberThatIsNoHubSaysSo() throws Exception {
        Instance server = zone.start();
        Instance writer = zone.start();

        assertThat(refusal(hand(writer, server, layout(id(OWNER, 1), 1000)))).isEqualTo(Reason.NO_HUB);
    }

    @Test
    void aFullHubRefusesAndGoesOn() throws Exception {
        Instance server = serve(zone.start(), PART);
        Instance writer = zone.start();
        assertThat(hub.reserve(PART - 100)).isTrue();
        assertThat(refusal(hand(writer, server, layout(id(OWNER, 1), 1000)))).isEqualTo(Reason.BUSY);
        hub.release(PART - 100);

        assertThat(hand(writer, server, layout(id(OWNER, 1), 1000))
                        .get(60, TimeUnit.SECONDS)
                        .places())
                .hasSize(20);
    }

    @Test
    void partsOfOthersAndLargeOnesAreRefused() throws Exception {
        Instance server = serve(zone.start(), 64 << 20);
        Instance writer = zone.start();
        assertThat(refusal(hand(writer, server, layout(id(OWNER + 1, 1), 1000))))
                .isEqualTo(Reason.FOREIGN);
        assertThat(refusal(hand(writer, server, layout(id(OWNER, 1), 100_000)))).isEqualTo(Reason.UNUSABLE);

        Instance elsewhere = zone.start(ZoneFixture.patient(new Zone("b")));
        assertThat(refusal(hand(elsewhere, server, layout(id(OWNER, 1), 1000)))).isEqualTo(Reason.FOREIGN);

        Instance stranger = zone.start(ZoneFixture.options(ZoneFixture.secret("another secret of strangers")));
        assertThat(failure(hand(stranger, server, layout(id(OWNER, 1), 1000))))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(server.metrics.value(Counter.PARTS_TAKEN)).isZero();
    }

    @Test
    void aHubThatEndsFailsItsParts() throws Exception {
        Instance server = serve(zone.start(), 64 << 20);
        Instance writer = zone.start();
        hand(writer, server, layout(id(OWNER, 1), 1000)).get(60, TimeUnit.SECONDS);
        hand(writer, server, layout(id(OWNER, 2), 1000)).get(60, TimeUnit.SECONDS);
        server.network.close();

        assertThat(failure(hand(writer, server, layout(id(OWNER, 1), 1000))))
                .isInstanceOf(StoreUnavailableException.class);
    }

    private Socket connect(Instance server) throws IOException {
        Socket socket = new Socket(server.endpoint.host(), server.endpoint.port());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static String ask(Socket socket, String head, byte[] body) throws IOException {
        socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().write(body);
        socket.getOutputStream().flush();
        return PeerServerIT.answer(socket.getInputStream());
    }

    /** The head of a request as a member sends it. */
    private String head(BlobLayout part, String turn) {
        FullHttpRequest request = (DefaultFullHttpRequest) new PartRequest(
                        part.id(),
                        BlobContent.of(bytes(part)),
                        zone.origin().fingerprint(),
                        Optional.of(ZoneFixture.ZONE))
                .write(new RequestProof.Signing(
                        "x", turn, Optional.of(MemberKeys.of(ZoneFixture.SECRET)), Optional.empty()))
                .request();
        StringBuilder text = new StringBuilder("POST " + request.uri() + " HTTP/1.1\r\n");
        for (Map.Entry<String, String> header : request.headers()) {
            text.append(header.getKey()).append(": ").append(header.getValue()).append("\r\n");
        }
        return text.append("\r\n").toString();
    }

    @Test
    void aPartIsProvenLikeAQuestion() throws Exception {
        Instance server = serve(zone.start(), 64 << 20);
        byte[] body = bytes(layout(id(OWNER, 1), 100));
        String unsigned = "POST /parts/" + BlobKey.of(id(OWNER, 1)) + " HTTP/1.1\r\nHost: x\r\n";
        try (Socket socket = connect(server)) {
            String head = unsigned + "Content-Length: " + body.length + "\r\nBlobshuffle-Store: 00000000\r\n"
                    + "Blobshuffle-Body: " + body.length + " 00000000\r\n\r\n";
            assertThat(ask(socket, head, new byte[0])).startsWith("HTTP/1.1 401 ");
        }
        try (Socket socket = connect(server)) {
            assertThat(ask(socket, unsigned + "Transfer-Encoding: chunked\r\n\r\n", new byte[0]))
                    .startsWith("HTTP/1.1 400 ");
        }
        assertThat(server.metrics.value(Counter.PARTS_TAKEN)).isZero();
    }

    @Test
    void aReplayedOrChangedPartIsRefused() throws Exception {
        Instance server = serve(zone.start(), 64 << 20);
        BlobLayout part = layout(id(OWNER, 1), 100);
        byte[] body = bytes(part);
        String captured;
        try (Socket socket = connect(server)) {
            String turn = SignedHeaders.turn(ask(socket, head(part, ""), body));
            captured = head(part, turn);
            assertThat(ask(socket, captured, body)).startsWith("HTTP/1.1 201 ");
            assertThat(ask(socket, captured, body)).startsWith("HTTP/1.1 425 ");
        }
        try (Socket socket = connect(server)) {
            assertThat(ask(socket, captured, body)).startsWith("HTTP/1.1 425 ");
        }
        try (Socket socket = connect(server)) {
            String turn = SignedHeaders.turn(ask(socket, head(part, ""), body));
            byte[] changed = body.clone();
            changed[40] ^= 1;
            assertThat(ask(socket, head(part, turn), changed)).startsWith("HTTP/1.1 400 ");
        }
        assertThat(server.metrics.value(Counter.PARTS_TAKEN)).isEqualTo(1);
    }

    /** The connection ends, and the hub's memory comes back. */
    @Test
    void aBodyThatNeverEndsHoldsNothing() throws Exception {
        Instance server = serve(zone.start(options(PeerTransport.AUTO, Duration.ofMillis(800))), 64 << 20);
        BlobLayout part = layout(id(OWNER, 1), 100);
        byte[] body = bytes(part);
        try (Socket socket = connect(server)) {
            String turn = SignedHeaders.turn(ask(socket, head(part, ""), body));
            assertThat(ask(socket, head(part, turn), new byte[10])).isEmpty();
        }
        await("the hub's memory")
                .atMost(Duration.ofMinutes(1))
                .until(() -> server.metrics.value(Gauge.COMBINE_BUFFER_USED) == 0);
        assertThat(server.metrics.value(Counter.PARTS_TAKEN)).isZero();
    }
}
