package dev.blobshuffle.peer.internal;

import static dev.blobshuffle.peer.internal.ZoneFixture.SECTION;
import static dev.blobshuffle.peer.internal.ZoneFixture.bytes;
import static dev.blobshuffle.peer.internal.ZoneFixture.expected;
import static dev.blobshuffle.peer.internal.ZoneFixture.id;
import static dev.blobshuffle.peer.internal.ZoneFixture.range;
import static dev.blobshuffle.peer.internal.ZoneFixture.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.internal.cache.ZoneCachedBlobStore;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.peer.internal.ZoneFixture.Instance;
import dev.blobshuffle.peer.internal.settings.Patience;
import dev.blobshuffle.peer.internal.settings.PeerOptions;
import dev.blobshuffle.peer.internal.trust.PeerTls;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.simulator.store.SlowBlobStore;
import dev.blobshuffle.testkit.LoanCheck;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Three members that share their caches over sockets, and what may become of them. */
class ZoneIT {
    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final ZoneFixture zone = new ZoneFixture(loans);

    @AfterEach
    void end() {
        zone.close();
    }

    private record Read(int blob, BlobRange range, CompletableFuture<BlobBytes> result) {}

    /** Reads random ranges everywhere at once, and checks every byte. */
    private void readEverywhere(List<ZoneCachedBlobStore> stores, int blobs, int reads) throws Exception {
        Random random = new Random(11);
        List<Read> pending = new ArrayList<>();
        for (int i = 0; i < reads; i++) {
            int offset = random.nextInt(SECTION);
            BlobRange range = range(offset, 1 + random.nextInt(Math.min(SECTION - offset, 150_000)));
            int blob = i % blobs;
            ZoneCachedBlobStore store = stores.get(random.nextInt(stores.size()));
            pending.add(new Read(blob, range, store.get(id(blob), range).toCompletableFuture()));
        }
        for (Read read : pending) {
            assertThat(bytes(read.result().get(60, TimeUnit.SECONDS))).isEqualTo(expected(read.blob(), read.range()));
        }
    }

    private List<ZoneCachedBlobStore> threeMembers(PeerOptions options, int blobs) throws Exception {
        for (int i = 0; i < blobs; i++) {
            zone.put(i);
        }
        List<Instance> started = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            started.add(zone.start(options));
        }
        return started.stream().map(Instance::zoned).toList();
    }

    @Test
    void eachSectionIsDownloadedOncePerZone() throws Exception {
        readEverywhere(threeMembers(ZoneFixture.options(ZoneFixture.SECRET), 20), 20, 300);
        assertThat(zone.gets()).isEqualTo(20);
    }

    @Test
    void theSameOverTlsWithCertificatesAlone(@TempDir Path directory) throws Exception {
        PeerTls tls = PemFiles.create(directory).tls();
        PeerOptions options = ZoneFixture.options(Optional.empty(), Optional.of(tls), ZoneFixture.LIMITS);
        readEverywhere(threeMembers(options, 10), 10, 100);
        assertThat(zone.gets()).isEqualTo(10);
        PeerTls other = PemFiles.create(directory.resolve("other")).tls();
        Instance stranger = zone.start(ZoneFixture.options(Optional.empty(), Optional.of(other), ZoneFixture.LIMITS));
        for (int i = 0; i < 10; i++) {
            assertThat(read(stranger.zoned(), i, range(5, 50))).isEqualTo(expected(i, range(5, 50)));
        }
        assertThat(stranger.metrics.value(Counter.CACHE_ZONE_HITS)).isZero();
        assertThat(stranger.metrics.value(Counter.CACHE_ZONE_FAILURES)).isPositive();
    }

    @Test
    void whatIsOnDiskIsSentFromThere(@TempDir Path directory) throws Exception {
        serveFromDisk(directory, Optional.empty());
    }

    @Test
    void whatIsOnDiskIsSentFromThereOverTls(@TempDir Path directory) throws Exception {
        serveFromDisk(
                directory.resolve("cache"),
                Optional.of(PemFiles.create(directory.resolve("tls")).tls()));
    }

    private void serveFromDisk(Path directory, Optional<PeerTls> tls) throws Exception {
        int blobs = 12;
        for (int i = 0; i < blobs; i++) {
            zone.put(i);
        }
        zone.memory(2L * SECTION);
        zone.disk(directory);
        PeerOptions options = ZoneFixture.options(Optional.of(ZoneFixture.SECRET), tls, ZoneFixture.LIMITS);
        Instance server = zone.start(options);
        for (int i = 0; i < blobs; i++) {
            read(server.zoned(), i, range(0, 1));
            awaitKept(server, i);
        }
        zone.disk(directory.resolveSibling("unused"));
        Instance reader = zone.start(options);
        zone.members().remove(1);
        long before = zone.gets();
        readEverywhere(List.of(reader.zoned()), blobs, 60);
        assertThat(zone.gets()).isEqualTo(before);
        assertThat(server.metrics.value(Counter.CACHE_DISK_HITS)).isGreaterThan(blobs + 40);
    }

    /** Parts are kept in the background. */
    static void awaitKept(Instance server, int blob) {
        await("part of blob " + blob)
                .atMost(Duration.ofMinutes(2))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> server.local.file(id(blob), range(0, 1)), Optional::isPresent)
                .orElseThrow()
                .close();
    }

    @Test
    void aSlowStoreIsWaitedForAndTheOwnerStillAsksOnce() throws Exception {
        LatencyProfile slow =
                LatencyProfile.constant(Duration.ZERO, Duration.ofMillis(1500)); // Three silences of production.
        zone.between(store -> new SlowBlobStore(store, slow, zone.time()));
        readEverywhere(threeMembers(ZoneFixture.impatient(), 4), 4, 40);
        assertThat(zone.gets()).isEqualTo(4);
    }

    @Test
    void aDeadMemberCostsLittleTime() throws Exception {
        StrangePeer gone = StrangePeer.silent();
        gone.close();
        assertIsPassedOver(gone.endpoint());
    }

    @Test
    void aStoppedMemberCostsLittleTime() throws Exception {
        try (StrangePeer stopped = StrangePeer.silent()) {
            assertIsPassedOver(stopped.endpoint());
        }
    }

    @Test
    void aMemberThatStopsInTheMiddleCostsLittleTime() throws Exception {
        try (StrangePeer stopping = StrangePeer.that((length, out) -> {
            out.write(StrangePeer.head("206 Partial Content", length));
            out.write(new byte[length / 2]);
        })) {
            assertIsPassedOver(stopping.endpoint());
        }
    }

    @Test
    void aMemberThatOnlyPromisesIsGivenUp() throws Exception {
        try (StrangePeer promising = StrangePeer.that(
                (length, out) -> out.write("HTTP/1.1 102 Processing\r\n\r\n".getBytes(StandardCharsets.US_ASCII)))) {
            assertIsPassedOver(promising.endpoint());
        }
    }

    /** The patient reader would wait for 20 s of silence, which never comes. */
    @Test
    void anInterimAnswerWithoutProofEndsTheRequestAtOnce() throws Exception {
        for (String status : new String[] {"100 Continue", "102 Processing", "103 Early Hints"}) {
            byte[] interim = ("HTTP/1.1 " + status + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
            assertIsGivenUp(ZoneFixture.options(ZoneFixture.SECRET), request -> interim);
        }
    }

    @Test
    void aMemberThatIsForeverAtWorkIsGivenUpAtTheLimitOfTheRequest() throws Exception {
        PeerOptions usual = ZoneFixture.options(ZoneFixture.SECRET);
        PeerOptions limited = new PeerOptions(
                usual.zone(),
                usual.listen(),
                usual.advertised(),
                usual.trust(),
                new Patience(usual.silence(), Duration.ofSeconds(1)),
                usual.limits());
        assertIsGivenUp(limited, request -> SignedHeaders.head(request, "102 Processing", ""));
    }

    /** Somebody answers with the same interim answer until the reader ends the connection. */
    private void assertIsGivenUp(PeerOptions options, Function<String, byte[]> interim) throws Exception {
        zone.put(1);
        CountDownLatch ended = new CountDownLatch(1);
        try (StrangePeer endless = StrangePeer.answering((request, out) -> {
            byte[] answer = interim.apply(request);
            try {
                while (true) {
                    out.write(answer);
                }
            } finally {
                ended.countDown();
            }
        })) {
            Instance reader = zone.start(options);
            zone.members().clear();
            zone.join(endless.endpoint(), 50);
            assertThat(read(reader.zoned(), 1, range(0, 10))).isEqualTo(expected(1, range(0, 10)));
            ended.await();
            assertThat(reader.metrics.value(Counter.CACHE_ZONE_FAILURES)).isEqualTo(1);
        }
    }

    /**
     * Each failure costs a silence at most, and those of the first reads, which are all sent at
     * once, the same one. Later reads pass the member over, but for one after each pause of half a
     * second, a second, and so on: counted, since the time is also the machine's.
     */
    private void assertIsPassedOver(Endpoint bad) throws Exception {
        int blobs = 20;
        for (int i = 0; i < blobs; i++) {
            zone.put(i);
        }
        Instance reader = zone.start(ZoneFixture.impatient());
        zone.members().clear();
        zone.join(bad, 50);
        ZoneCachedBlobStore store = reader.zoned();
        readEverywhere(List.of(store), blobs, blobs);
        long failures = reader.metrics.value(Counter.CACHE_ZONE_FAILURES);
        assertThat(failures).as("the member was missed").isPositive();
        readEverywhere(List.of(store), blobs, blobs);
        int tries = 3;
        assertThat(reader.metrics.value(Counter.CACHE_ZONE_FAILURES)).isLessThanOrEqualTo(failures + tries);
        assertThat(reader.metrics.value(Counter.CACHE_ZONE_HITS)).isZero();
    }

    @Test
    void whateverAStrangePeerAnswersTheBytesAreTheStores() throws Exception {
        Map<String, StrangePeer.Behaviour> behaviours = Map.of(
                "no HTTP", (length, out) -> out.write(new byte[length + 100]),
                "too short",
                        (length, out) -> {
                            out.write(StrangePeer.head("206 Partial Content", length - 1));
                            out.write(new byte[length - 1]);
                        },
                "too long",
                        (length, out) -> {
                            out.write(StrangePeer.head("206 Partial Content", length + 1L));
                            out.write(new byte[length + 1]);
                        },
                "huge", (length, out) -> out.write(StrangePeer.head("206 Partial Content", Long.MAX_VALUE)),
                "no length",
                        (length, out) -> {
                            out.write("HTTP/1.1 206 Partial Content\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                            out.write(new byte[length]);
                        },
                "a novel",
                        (length, out) -> {
                            out.write(StrangePeer.head("404 Not Found", 1 << 20));
                            out.write(new byte[1 << 20]);
                        },
                "a redirection", (length, out) -> out.write(StrangePeer.head("302 Found", 0)),
                "the end", (length, out) -> out.close());
        for (int i = 0; i < 3; i++) {
            zone.put(i);
        }
        for (Map.Entry<String, StrangePeer.Behaviour> behaviour : behaviours.entrySet()) {
            Instance reader = zone.start(ZoneFixture.impatient());
            zone.members().clear();
            try (StrangePeer peer = StrangePeer.that(behaviour.getValue())) {
                zone.join(peer.endpoint(), 50);
                ZoneCachedBlobStore store = reader.zoned();
                for (int i = 0; i < 3; i++) {
                    assertThat(read(store, i, range(1000, 2000)))
                            .as(behaviour.getKey())
                            .isEqualTo(expected(i, range(1000, 2000)));
                }
                assertThat(reader.metrics.value(Counter.CACHE_ZONE_HITS)).isZero();
                assertThat(reader.metrics.value(Counter.CACHE_ZONE_FAILURES))
                        .as(behaviour.getKey())
                        .isPositive();
            }
        }
    }

    /** Somebody gave an address of zone b where he should have given his own. */
    @Test
    void anAddressThatLeadsToAnotherZoneBringsNothingFromThere() throws Exception {
        zone.put(1);
        Instance elsewhere = zone.start(ZoneFixture.patient(new Zone("b")));
        read(elsewhere.local, 1, range(0, 1)); // It has the section, and keeps it.
        Instance reader = zone.start();
        zone.members().remove(1);
        ZoneCachedBlobStore store = reader.zoned();
        assertThat(read(store, 1, range(1000, 2000))).isEqualTo(expected(1, range(1000, 2000)));
        assertThat(elsewhere.metrics.value(Counter.PEER_BYTES)).isZero();
        assertThat(elsewhere.metrics.value(Counter.PEER_REFUSALS)).isEqualTo(1);
        assertThat(reader.metrics.value(Counter.CACHE_ZONE_FAILURES)).isEqualTo(1);
    }

    @Test
    void membersThatGiveTheSameAddressCostRequestsAtMost() throws Exception {
        List<ZoneCachedBlobStore> stores = threeMembers(ZoneFixture.options(ZoneFixture.SECRET), 10);
        Endpoint first = zone.members().get(0).endpoint();
        zone.members().remove(1);
        zone.join(first, 2);
        readEverywhere(stores, 10, 200);
        assertThat(zone.gets()).isBetween(10L, 30L);
    }

    @Test
    void whatOthersSentIsKeptWhereThatIsWanted() throws Exception {
        zone.put(0);
        Instance owner = zone.start();
        Instance reader = zone.start();
        zone.members().remove(1);
        ZoneCachedBlobStore store = reader.keeping();
        readEverywhere(List.of(store), 1, 50);
        assertThat(reader.metrics.value(Counter.CACHE_ZONE_HITS)).isEqualTo(1);
        assertThat(reader.metrics.value(Counter.CACHE_ZONE_BYTES)).isEqualTo(SECTION);
        await("the answer is counted, after it was sent")
                .atMost(Duration.ofMinutes(2))
                .until(() -> owner.metrics.value(Counter.PEER_REQUESTS), count -> count == 1);
        assertThat(zone.gets()).isEqualTo(1);
    }

    /**
     * Each takes the other for the owner of everything: nobody may wait for whoever waits for him.
     */
    @Test
    void membersThatKeepWhatTheyGetFromEachOtherDoNotWaitForEachOther() throws Exception {
        for (int i = 0; i < 20; i++) {
            zone.put(i);
        }
        Instance one = zone.start();
        Instance other = zone.start();
        zone.members().remove(0);
        ZoneCachedBlobStore first = one.keeping();
        zone.members().clear();
        zone.join(one.endpoint, one.id);
        ZoneCachedBlobStore second = other.keeping();
        readEverywhere(List.of(first, second), 20, 200);
        assertThat(zone.gets()).isBetween(20L, 40L);
    }

    @Test
    void aFullCacheStillAnswersRightly() throws Exception {
        zone.memory(2L * SECTION);
        readEverywhere(threeMembers(ZoneFixture.options(ZoneFixture.SECRET), 20), 20, 400);
        assertThat(zone.gets()).isGreaterThan(20);
    }

    @Test
    void aMemberThatComesBackIsUsedAgain() throws Exception {
        zone.put(1);
        zone.put(2);
        Instance first = zone.start();
        Instance reader = zone.start();
        zone.members().remove(1);
        ZoneCachedBlobStore store = reader.zoned();
        read(store, 1, range(0, 10));
        assertThat(reader.metrics.value(Counter.CACHE_ZONE_HITS)).isEqualTo(1);
        first.network.close();
        // The kept connection is dead, and so is its member: the store answers.
        assertThat(read(store, 1, range(20, 10))).isEqualTo(expected(1, range(20, 10)));
        PeerOptions again = new PeerOptions(
                ZoneFixture.ZONE,
                Optional.of(new Endpoint("127.0.0.1", first.endpoint.port())),
                Optional.empty(),
                ZoneFixture.options(ZoneFixture.SECRET).trust(),
                Duration.ofMillis(500),
                PeerOptions.Limits.USUAL);
        try (HttpPeerNetwork restarted = new HttpPeerNetwork(again, first.metrics, zone.time())) {
            assertThat(restarted.serve(first.local)).contains(first.endpoint);
            await("an answer of the member").atMost(Duration.ofMinutes(2)).until(() -> {
                read(store, 2, range(0, 10).section());
                if (reader.metrics.value(Counter.CACHE_ZONE_HITS) < 2) {
                    read(
                            reader.local,
                            2,
                            range(0, 1).afresh()); // Forgets the section, so that the next read asks again.
                }
                return reader.metrics.value(Counter.CACHE_ZONE_HITS) == 2;
            });
        }
    }

    @Test
    void connectionsBeyondTheLimitAreRefusedAndTheReadsGoToTheStore() throws Exception {
        List<ZoneCachedBlobStore> stores = threeMembers(
                ZoneFixture.options(
                        Optional.of(ZoneFixture.SECRET),
                        Optional.empty(),
                        new PeerOptions.Limits(1, 1, 1, Duration.ofSeconds(5))),
                6);
        readEverywhere(stores, 6, 120);
    }
}
