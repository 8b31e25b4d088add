package dev.blobshuffle.messaging;

import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.Caches;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.PeerSecret;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.internal.membership.PeerTransport;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.share.NetworkPeers;
import dev.blobshuffle.log.internal.share.SharedLog;
import dev.blobshuffle.log.internal.share.ZonePages;
import dev.blobshuffle.log.internal.tail.LogTails;
import dev.blobshuffle.log.internal.tail.MeteredLogReads;
import dev.blobshuffle.log.internal.tail.TailCursor;
import dev.blobshuffle.peer.internal.HttpPeerNetwork;
import dev.blobshuffle.peer.internal.settings.PeerOptions;
import dev.blobshuffle.peer.internal.trust.PeerTrust;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * An instance of a zone that follows one topic and serves other instances, over local sockets.
 * Every topic counts as busy. Owned by the test's thread; its reader has its own thread.
 */
final class TailingInstance implements AutoCloseable {
    static final Zone ZONE = new Zone("a");
    private static final PeerSecret SECRET = new PeerSecret("known to all members".getBytes(StandardCharsets.UTF_8));

    final Member member;
    final ShuffleMetrics metrics;
    final List<Long> sequences = new ArrayList<>();
    private final SystemTime time = new SystemTime();
    private final BlobStore store = new MemoryBlobStore("tailing", 1 << 20);
    private final CommitLog log;
    private final MeteredLogReads reads;
    private final SharedLog shared;
    private final HttpPeerNetwork network;
    private final NetworkPeers peers;
    private final Semaphore more = new Semaphore(0);
    private LogTails tails;
    private Thread reader;

    TailingInstance(long id, String uri) {
        this(id, uri, Optional.empty());
    }

    /**
     * An instance that may pretend to read another log. Its timeouts are long, because the machine
     * may be busy.
     */
    TailingInstance(long id, String uri, Optional<UUID> other) {
        metrics = new ShuffleMetrics(time);
        log = CommitLogs.open(uri, "tailing", time);
        reads = new MeteredLogReads(log, metrics);
        shared = new SharedLog(other.orElseGet(log::id), reads, 16 << 20, time);
        network = new HttpPeerNetwork(options(), metrics, time);
        peers = new NetworkPeers(network);
        peers.answerFrom(shared);
        Endpoint endpoint = network.serve(Caches.before(store, CacheOptions.none(), metrics, time))
                .orElseThrow();
        member = member(id, endpoint);
    }

    static Member member(long id, Endpoint endpoint) {
        return new Member(id, endpoint, ZONE, Set.of(), 1);
    }

    private static PeerOptions options() {
        return new PeerOptions(
                ZONE,
                Optional.of(new Endpoint("127.0.0.1", 0)),
                Optional.empty(),
                new PeerTrust(Optional.of(PeerSecrets.of(SECRET)), Optional.empty(), PeerTransport.AUTO),
                Duration.ofSeconds(20),
                PeerOptions.Limits.USUAL);
    }

    /** Reads a topic until a number of batches have arrived. */
    void follow(int topic, List<Member> members, LongSupplier count) {
        ZonePages.Place place =
                new ZonePages.Place(Optional.of(member.endpoint()), ZONE, new FixedZoneMap(members), peers);
        tails = new LogTails(log, reads, new ZonePages(reads, shared, place, 1, metrics, time), 8 << 20, time);
        TailCursor cursor = tails.open(topic, 0, more::release);
        reader = new Thread(() -> read(cursor, count), "reader");
        reader.start();
    }

    private void read(TailCursor cursor, LongSupplier count) {
        try {
            while (sequences.size() < count.getAsLong()) {
                List<SequencedBatch> page = cursor.next(100, 1 << 20);
                page.forEach(batch -> sequences.add(batch.sequence()));
                if (page.isEmpty() && !more.tryAcquire(60, TimeUnit.SECONDS)) {
                    return;
                }
                more.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Everything that the reader has read, after it has ended. */
    List<Long> all() throws InterruptedException {
        reader.join();
        return sequences;
    }

    long count(Counter counter) {
        return metrics.value(counter);
    }

    @Override
    public void close() {
        if (tails != null) {
            tails.close();
        }
        network.close();
        log.close();
        store.close();
        time.close();
    }

    /** An instance in its own process that serves and does not read. */
    static final class Other implements AutoCloseable {
        final Member member;
        private final Process process;

        private Other(Member member, Process process) {
            this.member = member;
            this.process = process;
        }

        static Other start(long id, String uri) throws IOException {
            Process process = new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx128m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            TailingInstance.class.getName(),
                            Long.toString(id),
                            uri))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            BufferedReader words = process.inputReader(StandardCharsets.UTF_8);
            String word = words.readLine();
            while (word != null && !word.startsWith("ready ")) {
                word = words.readLine();
            }
            if (word == null) {
                throw new AssertionError("the instance ended before it was ready");
            }
            return new Other(member(id, Endpoint.parse(word.substring("ready ".length()))), process);
        }

        /** Suspends it: its connections stay open. */
        void stop() throws IOException, InterruptedException {
            int status = new ProcessBuilder("sh", "-c", "kill -STOP " + process.pid())
                    .start()
                    .waitFor();
            if (status != 0) {
                throw new AssertionError("kill -STOP ended with " + status);
            }
        }

        /** Kills it. */
        void kill() {
            process.destroyForcibly().onExit().join();
        }

        @Override
        public void close() {
            kill();
        }
    }

    /** Serves until standard input ends. */
    public static void main(String[] arguments) throws IOException {
        TailingInstance instance = new TailingInstance(Long.parseLong(arguments[0]), arguments[1]);
        System.out.println("ready " + instance.member.endpoint());
        while (System.in.read() >= 0) {
            // No input.
        }
        Runtime.getRuntime().halt(0);
    }
}
