package dev.blobshuffle.testkit;

import static dev.blobshuffle.testkit.CacheFixture.SECTION;
import static dev.blobshuffle.testkit.CacheFixture.expected;
import static dev.blobshuffle.testkit.CacheFixture.id;
import static dev.blobshuffle.testkit.CacheFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.cache.CacheUnit;
import dev.blobshuffle.core.internal.cache.CachedBlobStore;
import dev.blobshuffle.core.internal.cache.Caches;
import dev.blobshuffle.core.internal.cache.PeerClient;
import dev.blobshuffle.core.internal.cache.ZoneCachedBlobStore;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.resilience.RetryingBlobStore;
import dev.blobshuffle.core.internal.resilience.StoreRetryPolicy;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.FaultyBlobStore;
import dev.blobshuffle.simulator.store.StoreFault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads behind caches, of a store that fails until it is told not to and is asked again without
 * end.
 */
class AbandonedCacheReadTest {
    private static final Duration LONG = Duration.ofMinutes(5);

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    @TempDir
    Path directory;

    private final SimulatedTime time = new SimulatedTime(7);
    private final ShuffleMetrics metrics = new ShuffleMetrics();
    private final MemoryBlobStore origin = new MemoryBlobStore("abandoned", 10 << 20);
    private final FaultyBlobStore faulty = new FaultyBlobStore(
            loans.watch(origin), time, request -> new StoreFault(StoreFault.Kind.FAIL_BEFORE, Duration.ofMillis(10)));
    private final BlobStore patient = new RetryingBlobStore(faulty, StoreRetryPolicy.forever(), time, metrics);
    private BlobStore store = patient;

    @AfterEach
    void end() {
        store.close();
        time.close();
    }

    private CachedBlobStore caches(long memoryBytes, List<Path> directories) {
        return Caches.before(
                patient, CacheFixture.options(memoryBytes, directories, 1 << 20, CacheUnit.SECTION), metrics, time);
    }

    private CompletableFuture<BlobBytes> get(int offset, int length) {
        return store.get(id(1), range(0, offset, length)).toCompletableFuture();
    }

    private void assertThatGivingUpEnds(CompletableFuture<BlobBytes> read) {
        time.settle(LONG);
        assertThat(read).isNotDone();
        assertThat(faulty.faults()).isGreaterThan(10);
        Abandonable.abandon(read);
        time.settle(Duration.ofSeconds(1));
        assertThat(read).isCancelled();
        long asked = faulty.faults();
        time.settle(LONG);
        assertThat(faulty.faults()).isEqualTo(asked);
        assertThat(metrics.value(Gauge.CACHE_MEMORY_USED)).isZero();
    }

    @Test
    void aLoadIntoMemoryEnds() {
        store = caches(10 * SECTION, List.of());
        assertThatGivingUpEnds(get(1, 10));
    }

    @Test
    void aReadForWhichMemoryHasNoRoomEnds() {
        store = caches(2 * SECTION, List.of());
        CompletionStage<BlobBytes> second = store.get(id(2), range(0, 1, 10));
        CompletionStage<BlobBytes> third = store.get(id(3), range(0, 1, 10));
        CompletableFuture<BlobBytes> read = get(1, 10);
        Abandonable.abandon(second);
        Abandonable.abandon(third);
        assertThatGivingUpEnds(read);
    }

    @Test
    void aReadBehindTheDiskEnds() {
        store = caches(0, List.of(directory));
        assertThatGivingUpEnds(get(0, SECTION));
    }

    @Test
    void aReadBehindMemoryAndDiskEnds() {
        store = caches(10 * SECTION, List.of(directory));
        assertThatGivingUpEnds(get(1, 10));
    }

    @Test
    void aReadThatAnotherMemberDidNotAnswerEnds() {
        Member other = new Member(2, new Endpoint("host-2", 7400), CacheFixture.A, Set.of(), 1);
        store = new ZoneCachedBlobStore(
                caches(10 * SECTION, List.of()),
                CacheFixture.A,
                1,
                new FixedZoneMap(List.of(other)),
                new SilentPeers(),
                time,
                metrics);
        assertThatGivingUpEnds(get(1, 10));
    }

    @Test
    void aLoadGoesOnForThoseWhoStillWait() throws Exception {
        store = caches(10 * SECTION, List.of());
        CompletableFuture<BlobBytes> one = get(1, 10);
        CompletableFuture<BlobBytes> other = get(20, 10);
        Abandonable.abandon(one);
        Abandonable.abandon(one);
        assertThat(one).isCancelled();
        CacheFixture.put(origin, loans, 1);
        faulty.follow(request -> StoreFault.NONE);
        time.settle(LONG);
        assertThat(CacheFixture.bytes(other.join())).isEqualTo(expected(1, range(0, 20, 10)));
    }

    @Test
    void whoComesAfterALoadWasGivenUpStartsAnew() throws Exception {
        store = caches(10 * SECTION, List.of());
        CompletableFuture<BlobBytes> one = get(1, 10);
        Abandonable.abandon(one);
        CompletableFuture<BlobBytes> other = get(20, 10);
        CacheFixture.put(origin, loans, 1);
        faulty.follow(request -> StoreFault.NONE);
        time.settle(LONG);
        assertThat(CacheFixture.bytes(other.join())).isEqualTo(expected(1, range(0, 20, 10)));
        assertThat(one).isCancelled();
    }

    /** Other members that cannot be reached. */
    private static final class SilentPeers implements PeerClient {
        @Override
        public CompletionStage<BlobBytes> get(Member member, BlobId id, BlobRange range) {
            return CompletableFuture.failedFuture(new StoreUnavailableException("Cannot reach " + member.id() + "."));
        }

        @Override
        public void close() {}
    }
}
