package dev.blobshuffle.testkit;

import static dev.blobshuffle.testkit.CacheFixture.SECTION;
import static dev.blobshuffle.testkit.CacheFixture.expected;
import static dev.blobshuffle.testkit.CacheFixture.id;
import static dev.blobshuffle.testkit.CacheFixture.range;
import static dev.blobshuffle.testkit.CacheFixture.read;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.cache.CachedBlobStore;
import dev.blobshuffle.core.internal.cache.Caches;
import dev.blobshuffle.core.internal.cache.PeerClient;
import dev.blobshuffle.core.internal.cache.ZoneCachedBlobStore;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.SectionOwners;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Flow;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.store.MeteredBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.simulator.SimulatedTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Three members of zone a over one store, connected in memory; the ways between them fail as a test
 * says.
 */
class ZoneCachedBlobStoreTest {
    private static final int BLOBS = 60;

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final SimulatedTime time = new SimulatedTime(3);
    private final ShuffleMetrics origins = new ShuffleMetrics();
    private final MemoryBlobStore origin = new MemoryBlobStore("zone", 10 << 20);
    private final BlobStore metered = new MeteredBlobStore(loans.watch(origin), origins, time);
    private final List<Member> members = new ArrayList<>();
    private final Map<Long, CachedBlobStore> locals = new HashMap<>();
    private final List<Instance> instances = new ArrayList<>();
    private boolean isElsewhereAsked;
    private Way way = (to, id, range) -> locals.get(to.id()).get(id, range);

    private interface Way {
        CompletionStage<BlobBytes> ask(Member to, BlobId id, BlobRange range);
    }

    private record Instance(ZoneCachedBlobStore store, ShuffleMetrics metrics) {}

    @BeforeEach
    void start() throws Exception {
        for (int i = 1; i <= 3; i++) {
            members.add(new Member(i, new Endpoint("host-" + i, 7400), CacheFixture.A, Set.of(), 1));
        }
        members.add(new Member(9, new Endpoint("elsewhere", 7400), CacheFixture.B, Set.of(), 1));
        for (int i = 1; i <= 3; i++) {
            instances.add(instance(i, new FixedZoneMap(members)));
        }
        for (int i = 0; i < BLOBS; i++) {
            CacheFixture.put(origin, loans, i);
        }
    }

    private Instance instance(long self, ZoneMap map) {
        ShuffleMetrics metrics = new ShuffleMetrics();
        BlobStore lent = new ForwardingBlobStore(metered) {
            @Override
            public void close() {}
        };
        CachedBlobStore local = Caches.before(lent, CacheFixture.memory(2 * BLOBS * SECTION), metrics, time);
        locals.put(self, local);
        PeerClient client = new PeerClient() {
            @Override
            public CompletionStage<BlobBytes> get(Member member, BlobId id, BlobRange range) {
                assertThat(member.zone()).isEqualTo(isElsewhereAsked ? CacheFixture.B : CacheFixture.A);
                assertThat(member.id()).isNotEqualTo(self);
                return way.ask(member, id, range);
            }

            @Override
            public void close() {}
        };
        return new Instance(new ZoneCachedBlobStore(local, CacheFixture.A, self, map, client, time, metrics), metrics);
    }

    @AfterEach
    void end() {
        instances.forEach(instance -> instance.store().close());
        time.close();
    }

    private void readEverythingEverywhere() throws Exception {
        for (int blob = 0; blob < BLOBS; blob++) {
            for (Instance instance : instances) {
                BlobRange part = range(0, blob, 100 + blob);
                assertThat(read(instance.store(), blob, part)).isEqualTo(expected(blob, part));
            }
        }
    }

    private Instance notOwnerOf(int blob) {
        Member owner = owner(blob);
        return instances.get((int) owner.id() % 3);
    }

    private Member owner(int blob) {
        return SectionOwners.owner(members.subList(0, 3), id(blob), 0, member -> true)
                .orElseThrow();
    }

    @Test
    void eachSectionIsDownloadedOncePerZone() throws Exception {
        readEverythingEverywhere();
        assertThat(origins.value(Counter.GETS)).isEqualTo(BLOBS);
        assertThat(origins.value(Counter.BYTES_FETCHED)).isEqualTo(BLOBS * SECTION);
        long asked = instances.stream()
                .mapToLong(instance -> instance.metrics().value(Counter.CACHE_ZONE_HITS))
                .sum();
        assertThat(asked).isEqualTo(2 * BLOBS);
    }

    @Test
    void bytesFromMembersAreCountedByZoneAndNoneCrosses() throws Exception {
        readEverythingEverywhere();
        for (Instance instance : instances) {
            assertThat(instance.metrics().flows().values())
                    .containsExactlyInAnyOrderEntriesOf(Map.of(
                            Flow.between(CacheFixture.A, CacheFixture.A),
                            instance.metrics().value(Counter.CACHE_ZONE_BYTES),
                            Flow.between(CacheFixture.B, CacheFixture.A),
                            0L));
            assertThat(instance.metrics().value(Counter.CACHE_ZONE_BYTES)).isPositive();
            assertThat(instance.metrics().value(Counter.CROSS_ZONE_BYTES)).isZero();
        }
    }

    @Test
    void zoneThatBecomesKnownIsShownThoughNobodyThereOrHereIsAsked() throws Exception {
        List<Member> known = new ArrayList<>();
        Instance reader = instance(1, new ZoneMap() {
            @Override
            public List<Member> members() {
                return known;
            }

            @Override
            public List<Member> members(Zone zone) {
                return List.of();
            }

            @Override
            public long version() {
                return known.size();
            }

            @Override
            public Optional<Zone> zoneOf(Partition partition) {
                return Optional.empty();
            }
        });
        instances.add(reader);
        Flow crossing = Flow.between(CacheFixture.B, CacheFixture.A);
        assertThat(reader.metrics().flows().values()).doesNotContainKey(crossing);
        known.add(members.get(3));
        read(reader.store(), 0, range(0, 5, 50));
        assertThat(reader.metrics().flows().values()).containsEntry(crossing, 0L);
    }

    /**
     * What the counter is for: a directory that takes a member of another zone for one of this
     * zone.
     */
    @Test
    void bytesThatCrossZonesAreSeen() throws Exception {
        ZoneMap wrong = new ZoneMap() {
            @Override
            public List<Member> members() {
                return members;
            }

            @Override
            public List<Member> members(Zone zone) {
                return List.of(members.get(3));
            }

            @Override
            public Optional<Zone> zoneOf(Partition partition) {
                return Optional.empty();
            }
        };
        isElsewhereAsked = true;
        way = (to, id, range) -> origin.get(id, range);
        Instance reader = instance(1, wrong);
        instances.add(reader);
        assertThat(read(reader.store(), 0, range(0, 5, 50))).isEqualTo(expected(0, range(0, 5, 50)));
        assertThat(reader.metrics().value(Counter.CROSS_ZONE_BYTES)).isEqualTo(50);
        assertThat(reader.metrics().flows().value(Flow.between(CacheFixture.B, CacheFixture.A)))
                .isEqualTo(50);
    }

    @Test
    void theWritersZoneDownloadsNothing() throws Exception {
        members.set(0, new Member(0x77, new Endpoint("writer", 7400), CacheFixture.A, Set.of(), 1));
        Instance writer = instance(0x77, new FixedZoneMap(members));
        Instance other = instance(2, new FixedZoneMap(members));
        CacheFixture.put(writer.store(), loans, 90);
        for (Instance reader : List.of(writer, other)) {
            assertThat(read(reader.store(), 90, range(0, 5, 50))).isEqualTo(expected(90, range(0, 5, 50)));
        }
        assertThat(origins.value(Counter.GETS)).isZero();
        writer.store().close();
        other.store().close();
    }

    @Test
    void anOwnerThatFailsIsLeftOutForAWhileAndTheNextOwnsItsSections() throws Exception {
        Way sound = way;
        way = (to, id, range) -> to.id() == 2
                ? CompletableFuture.failedFuture(
                        new StoreUnavailableException("Cannot connect: planned by the test. Go on."))
                : sound.ask(to, id, range);
        readEverythingEverywhere();
        for (Instance instance : List.of(instances.get(0), instances.get(2))) {
            assertThat(instance.metrics().value(Counter.CACHE_ZONE_FAILURES)).isEqualTo(1);
            assertThat(instance.metrics().value(Counter.CACHE_ZONE_BYPASSES)).isGreaterThan(BLOBS / 6);
        }
        way = sound;
        time.settle(Duration.ofMinutes(1));
        long before = instances.get(0).metrics().value(Counter.CACHE_ZONE_BYPASSES);
        readEverythingEverywhere();
        assertThat(instances.get(0).metrics().value(Counter.CACHE_ZONE_BYPASSES))
                .isEqualTo(before);
        assertThat(instances.get(0).metrics().value(Counter.CACHE_ZONE_FAILURES))
                .isEqualTo(1);
    }

    @Test
    void aMemberThatStaysDownIsTriedLessAndLess() throws Exception {
        List<Long> tries = new ArrayList<>();
        way = (to, id, range) -> {
            tries.add(time.elapsed().toSeconds());
            return CompletableFuture.failedFuture(
                    new StoreUnavailableException("Cannot connect: planned by the test. Go on."));
        };
        members.subList(0, 3).removeIf(member -> member.id() == 3);
        Instance reader = instance(3, new FixedZoneMap(members.subList(0, 1)));
        instances.add(reader);
        for (int second = 0; second < 120; second++) {
            read(
                    reader.store(),
                    second % BLOBS,
                    range(0, 0, 5).afresh().section().afresh());
            time.settle(Duration.ofSeconds(1));
        }
        assertThat(tries).isEmpty(); // Reads afresh ask nobody, but hold it against the owner.
        for (int second = 0; second < 120; second++) {
            CacheFixture.put(origin, loans, 200 + second);
            read(reader.store(), 200 + second, range(0, 0, 5));
            time.settle(Duration.ofSeconds(1));
        }
        assertThat(tries).hasSizeBetween(3, 6);
    }

    @Test
    void whatTheOwnerPassesOnFromTheStoreIsNotHeldAgainstIt() throws Exception {
        way = (to, id, range) -> CompletableFuture.failedFuture(
                new BlobMissingException("Cannot read: the owner reads another store. Give all the same."));
        Instance reader = notOwnerOf(0);
        for (int i = 0; i < 5; i++) {
            assertThat(read(reader.store(), 0, range(0, 5, 50))).isEqualTo(expected(0, range(0, 5, 50)));
        }
        assertThat(reader.metrics().value(Counter.CACHE_ZONE_FAILURES)).isEqualTo(5);
        assertThat(reader.metrics().value(Counter.CACHE_ZONE_BYPASSES)).isZero();
    }

    @Test
    void anAnswerOfTheWrongLengthIsRefused() throws Exception {
        way = (to, id, range) -> CompletableFuture.completedFuture(BlobBytes.of(ByteBuffer.allocate(3)));
        assertThat(read(notOwnerOf(0).store(), 0, range(0, 5, 50))).isEqualTo(expected(0, range(0, 5, 50)));
    }

    @Test
    void garbageIsAskedAfreshOfTheStoreAndHeldAgainstTheOwner() throws Exception {
        way = (to, id, range) ->
                CompletableFuture.completedFuture(BlobBytes.of(ByteBuffer.allocate(Math.toIntExact(range.length()))));
        Instance reader = notOwnerOf(0);
        BlobRange part = range(0, 5, 50);
        int rounds = 0;
        while (!java.util.Arrays.equals(
                read(reader.store(), 0, part), expected(0, part))) { // Its checksums tell the Debatcher.
            assertThat(read(reader.store(), 0, part.afresh())).isEqualTo(expected(0, part));
            rounds++;
        }
        assertThat(rounds).isBetween(1, 2); // Then it owns the section itself.
        assertThat(reader.metrics().value(Counter.CACHE_ZONE_FAILURES)).isEqualTo(rounds);
    }

    @Test
    void membersThatDisagreeStillReadWhatIsThere() throws Exception {
        Instance alone = instance(4, new FixedZoneMap(List.of()));
        Instance old = instance(5, new FixedZoneMap(members.subList(1, 3)));
        Instance strangers = instance(
                6, new FixedZoneMap(List.of(new Member(77, new Endpoint("gone", 1), CacheFixture.A, Set.of(), 1))));
        way = (to, id, range) -> locals.containsKey(to.id())
                ? locals.get(to.id()).get(id, range)
                : CompletableFuture.failedFuture(
                        new StoreUnavailableException("Cannot connect: planned by the test. Go on."));
        instances.addAll(List.of(alone, old, strangers));
        readEverythingEverywhere();
        assertThat(origins.value(Counter.GETS)).isLessThanOrEqualTo(4 * BLOBS);
    }
}
