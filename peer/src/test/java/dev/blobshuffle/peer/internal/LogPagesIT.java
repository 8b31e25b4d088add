package dev.blobshuffle.peer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.Caches;
import dev.blobshuffle.core.internal.cache.PeerRefusedException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.internal.membership.PeerTransport;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.Bookmark;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.share.LogQuestion;
import dev.blobshuffle.log.internal.share.NetworkPeers;
import dev.blobshuffle.log.internal.share.PageCodec;
import dev.blobshuffle.log.internal.share.PageRefusedException;
import dev.blobshuffle.log.internal.share.PageRefusedException.Reason;
import dev.blobshuffle.log.internal.share.SharedLog;
import dev.blobshuffle.log.internal.tail.MeteredLogReads;
import dev.blobshuffle.peer.internal.settings.PeerOptions;
import dev.blobshuffle.peer.internal.trust.PeerTrust;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pages of a log between members, over sockets of this machine. */
class LogPagesIT {
    private static final int BATCHES = 40;
    private static final int ENTRIES = 60_000;

    private final SystemTime time = new SystemTime();
    private final ShuffleMetrics metrics = new ShuffleMetrics(time);
    private final MemoryLog log = new MemoryLog(time);
    private final MemoryBlobStore store = new MemoryBlobStore("pages", 1 << 20);
    private final List<HttpPeerNetwork> networks = new ArrayList<>();
    private LogTopic topic;
    private List<SequencedBatch> batches;

    @BeforeEach
    void publish() throws Exception {
        topic = now(log.topics().create("t", 1, new RetentionRule.Forever())).orElseThrow();
        Writer writer = now(log.open("writer"));
        for (int i = 0; i < BATCHES; i++) {
            byte[] entries = new byte[ENTRIES];
            entries[0] = (byte) i;
            now(writer.commit(i, List.of(new LogBatch(topic.number(), entries, Set.of(), 1, 0)), Optional.empty()));
        }
        now(log.sequence(topic.number()));
        batches = now(log.read(new ReadRequest(topic.number(), 0, BATCHES, 1 << 30, Optional.empty())));
        assertThat(batches).hasSize(BATCHES);
    }

    @AfterEach
    void end() {
        networks.forEach(HttpPeerNetwork::close);
        log.close();
        store.close();
        time.close();
    }

    private static <T> T now(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private HttpPeerNetwork network(PeerTransport transport, Zone zone) {
        HttpPeerNetwork network = new HttpPeerNetwork(
                new PeerOptions(
                        zone,
                        Optional.of(new Endpoint("127.0.0.1", 0)),
                        Optional.empty(),
                        new PeerTrust(Optional.of(PeerSecrets.of(ZoneFixture.SECRET)), Optional.empty(), transport),
                        Duration.ofSeconds(20),
                        PeerOptions.Limits.USUAL),
                metrics,
                time);
        networks.add(network);
        return network;
    }

    private HttpPeerNetwork network() {
        return network(PeerTransport.AUTO, ZoneFixture.ZONE);
    }

    private Member serve(HttpPeerNetwork network) {
        return member(network.serve(Caches.before(store, CacheOptions.none(), metrics, time))
                .orElseThrow());
    }

    private Member serveLog(HttpPeerNetwork network) {
        new NetworkPeers(network)
                .answerFrom(new SharedLog(log.id(), new MeteredLogReads(log, metrics), 16 << 20, time));
        return serve(network);
    }

    private static Member member(Endpoint endpoint) {
        return new Member(1, endpoint, ZoneFixture.ZONE, Set.of(), 1);
    }

    private LogQuestion after(int batch) {
        return new LogQuestion(log.id(), topic.number(), Bookmark.at(batches.get(batch)), LogQuestion.MOST_BYTES);
    }

    @Test
    void everyTransportBringsAPage() throws Exception {
        for (PeerTransport transport : PeerTransport.values()) {
            Member member = serveLog(network(transport, ZoneFixture.ZONE));
            NetworkPeers asker = new NetworkPeers(network(transport, ZoneFixture.ZONE));

            List<SequencedBatch> page = now(asker.ask(member, after(3)));
            assertThat(page).hasSizeBetween(17, 18);
            byte[] expected = PageCodec.encode(4, batches.subList(4, 4 + page.size()));
            assertThat(PageCodec.encode(page.get(0).sequence(), page)).isEqualTo(expected);
            assertThat(now(asker.ask(member, after(BATCHES - 1)))).isEmpty();
        }
    }

    private void isRefused(Member member, LogQuestion question, Reason reason) {
        NetworkPeers asker = new NetworkPeers(network());
        assertThatThrownBy(() -> now(asker.ask(member, question)))
                .cause()
                .isInstanceOfSatisfying(
                        PageRefusedException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(reason));
    }

    /** The member is skipped for some time. */
    private static void isUnavailable(HttpPeerNetwork asker, Member member, LogQuestion question, int status) {
        assertThatThrownBy(() -> now(new NetworkPeers(asker).ask(member, question)))
                .cause()
                .isExactlyInstanceOf(PeerRefusedException.class)
                .hasMessageContaining(String.valueOf(status));
    }

    private static void isUnavailable(HttpPeerNetwork asker, Member member, LogQuestion question, String reason) {
        assertThatThrownBy(() -> now(new NetworkPeers(asker).ask(member, question)))
                .cause()
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void aMemberRefusesWhatItCannotAnswer() throws Exception {
        Member member = serveLog(network());
        NetworkPeers asker = new NetworkPeers(network());
        now(asker.ask(member, after(20)));

        isRefused(member, after(3), Reason.ELSEWHERE);
        Bookmark forged = new Bookmark(20, 999, 1);
        isRefused(member, new LogQuestion(log.id(), topic.number(), forged, 10), Reason.OTHER_BATCH);
        LogQuestion other = new LogQuestion(UUID.randomUUID(), topic.number(), after(3).after(), 10);
        isUnavailable(network(), member, other, 421);
        isUnavailable(network(PeerTransport.AUTO, new Zone("b")), member, after(20), 421);
        LogQuestion absent = new LogQuestion(log.id(), 77, after(3).after(), 10);
        isUnavailable(network(), member, absent, 502);
        isUnavailable(network(), serve(network()), after(20), 404);
    }

    @Test
    void nobodyReadsWithoutProofAndNobodyAsksForAnythingElse() throws Exception {
        Member member = serveLog(network());
        String path = "/log/" + log.id() + "/" + topic.number() + "?after=3&id=4&crc=00000000&bytes=10";
        assertThat(get(member, path, "")).startsWith("HTTP/1.1 401 ");
        for (String wrong : List.of(
                "/log/",
                path + "0000000000",
                path + "&x",
                path.replace("after=3", "after=-3"),
                path.replace("bytes=10", "bytes=0"),
                path.replace("crc=00000000", "crc=0"),
                path.replace(log.id().toString(), "x"))) {
            assertThat(get(member, wrong, SignedHeaders.of(wrong, "", "", "")))
                    .as(wrong)
                    .startsWith("HTTP/1.1 400 ");
        }
    }

    /**
     * What a member answers at last, if the asker repeats a request without a turn with its turn.
     */
    private static String get(Member member, String path, String headers) throws IOException {
        try (Socket socket =
                new Socket(member.endpoint().host(), member.endpoint().port())) {
            socket.setSoTimeout(60_000);
            String answer = ask(socket, path, headers);
            return answer.startsWith("HTTP/1.1 425 ")
                    ? ask(socket, path, SignedHeaders.of(path, SignedHeaders.turn(answer), "", ""))
                    : answer;
        }
    }

    private static String ask(Socket socket, String path, String headers) throws IOException {
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        return PeerServerIT.answer(socket.getInputStream());
    }

    /** What a member that knows the secret sends. */
    private static void send(String request, byte[] bytes, OutputStream out) throws IOException {
        out.write(SignedHeaders.head(request, "206 Partial Content", "Content-Length: " + bytes.length + "\r\n"));
        out.write(bytes);
    }

    @Test
    void garbageIsNotAPage() throws Exception {
        byte[] page = PageCodec.encode(4, batches.subList(4, 6));
        byte[] changed = page.clone();
        changed[page.length / 2] ^= 1;
        for (byte[] bytes : List.of(new byte[1], new byte[1000], changed)) {
            try (StrangePeer peer = StrangePeer.answering((request, out) -> send(request, bytes, out))) {
                NetworkPeers asker = new NetworkPeers(network());
                assertThatThrownBy(() -> now(asker.ask(member(peer.endpoint()), after(3))))
                        .cause()
                        .isInstanceOf(BlobCorruptException.class);
            }
        }
        try (StrangePeer peer = StrangePeer.answering((request, out) -> send(request, new byte[3 << 20], out))) {
            isUnavailable(network(), member(peer.endpoint()), after(3), "another length");
        }
        try (StrangePeer peer = StrangePeer.answering((request, out) -> {
            out.write(StrangePeer.head("206 Partial Content", page.length));
            out.write(page);
        })) {
            isUnavailable(network(), member(peer.endpoint()), after(3), "does not know the secret");
        }
    }
}
