package dev.blobshuffle.testkit.internal.log.share;

import static dev.blobshuffle.testkit.internal.log.share.ZoneOfReaders.now;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.cache.CachedBlobStore;
import dev.blobshuffle.core.internal.cache.PeerClient;
import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.cache.PeerPages;
import dev.blobshuffle.core.internal.cache.PeerRefusedException;
import dev.blobshuffle.core.internal.combine.HandOver;
import dev.blobshuffle.core.internal.combine.Hub;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
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
import dev.blobshuffle.log.internal.share.PageRefusedException;
import dev.blobshuffle.log.internal.share.PageRefusedException.Reason;
import dev.blobshuffle.log.internal.share.SharedLog;
import dev.blobshuffle.log.internal.tail.MeteredLogReads;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages of a log over a network that hands them to the asker at once. */
class NetworkPeersTest {
    private static final int BATCHES = 20;
    private static final int ENTRIES = 60_000;

    /** So many pages of 1 MiB leave no room for another in 32 MiB. */
    private static final int PAGES = 31;

    private static final Member MEMBER = new Member(1, new Endpoint("m", 1), new Zone("a"), Set.of(), 1);

    private final SimulatedTime time = new SimulatedTime(5);
    private final MemoryLog log = new MemoryLog(time);
    private final Loopback network = new Loopback();
    private final NetworkPeers peers = new NetworkPeers(network);
    private LogQuestion question;

    @BeforeEach
    void publish() {
        LogTopic topic =
                now(log.topics().create("t", 1, new RetentionRule.Forever())).orElseThrow();
        Writer writer = now(log.open("writer"));
        for (int i = 0; i < BATCHES; i++) {
            LogBatch batch = new LogBatch(topic.number(), new byte[ENTRIES], Set.of(), 1, 0);
            now(writer.commit(i, List.of(batch), Optional.empty()));
        }
        now(log.sequence(topic.number()));
        SequencedBatch first = now(log.read(new ReadRequest(topic.number(), 0, 1, 1 << 30, Optional.empty())))
                .get(0);
        question = new LogQuestion(log.id(), topic.number(), Bookmark.at(first), LogQuestion.MOST_BYTES);
        MeteredLogReads reads = new MeteredLogReads(log, new ShuffleMetrics(time));
        peers.answerFrom(new SharedLog(log.id(), reads, 16 << 20, time));
    }

    @AfterEach
    void close() {
        log.close();
        time.close();
    }

    /** Sends pages without sockets. The pages hold their memory until the test frees it. */
    private static final class Loopback implements PeerNetwork {
        final List<PeerPages.Page> sent = new ArrayList<>();
        private PeerPages pages;

        @Override
        public void combineBy(Hub hub) {
            throw new UnsupportedOperationException();
        }

        @Override
        public HandOver handOver() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void answerFrom(PeerPages shared) {
            pages = shared;
        }

        @Override
        public CompletionStage<ByteBuffer> ask(Member member, String request, int maxBytes) {
            return pages.read(request).page(Runnable::run).thenApply(page -> {
                sent.add(page);
                return ByteBuffer.wrap(page.bytes());
            });
        }

        @Override
        public PeerClient client() {
            throw new UnsupportedOperationException("No test reads a blob.");
        }

        @Override
        public Optional<Endpoint> serve(CachedBlobStore store) {
            return Optional.empty();
        }

        @Override
        public void close() {}
    }

    @Test
    void aPageArrives() {
        assertThat(now(peers.ask(MEMBER, question)))
                .extracting(SequencedBatch::sequence)
                .startsWith(1L, 2L);
    }

    @Test
    void pagesOnTheirWayShareABudget() {
        for (int i = 0; i < PAGES; i++) {
            assertThat(now(peers.ask(MEMBER, question))).isNotEmpty();
        }

        isRefused(Reason.BUSY);
        network.sent.forEach(page -> page.release().run());
        assertThat(now(peers.ask(MEMBER, question))).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?", "x/1?after=1&id=2&crc=00000000&bytes=10"})
    void anotherTextIsNotAQuestion(String text) {
        assertThatThrownBy(() -> network.ask(MEMBER, text, 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Cannot find a page: the path is not /log/");
    }

    /** The asker goes on asking this member, and reads this page from the log. */
    @ParameterizedTest
    @CsvSource({"416, ELSEWHERE", "409, OTHER_BATCH", "503, BUSY"})
    void someRefusalsSayThatTheMemberWorks(int status, Reason reason) {
        refuse(status);

        isRefused(reason);
    }

    private void isRefused(Reason reason) {
        assertThatThrownBy(() -> now(peers.ask(MEMBER, question)))
                .cause()
                .isInstanceOfSatisfying(
                        PageRefusedException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(reason));
    }

    @ParameterizedTest
    @ValueSource(ints = {404, 421, 502, 500})
    void otherRefusalsSayThatItDoesNot(int status) {
        PeerRefusedException refused = refuse(status);

        assertThatThrownBy(() -> now(peers.ask(MEMBER, question))).cause().isSameAs(refused);
    }

    private PeerRefusedException refuse(int status) {
        PeerRefusedException refused = new PeerRefusedException(status, "no");
        network.answerFrom(text -> executor -> CompletableFuture.failedFuture(refused));
        return refused;
    }
}
