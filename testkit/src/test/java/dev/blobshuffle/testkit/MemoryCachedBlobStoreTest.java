package dev.blobshuffle.testkit;

import static dev.blobshuffle.testkit.CacheFixture.SECTION;
import static dev.blobshuffle.testkit.CacheFixture.expected;
import static dev.blobshuffle.testkit.CacheFixture.id;
import static dev.blobshuffle.testkit.CacheFixture.memory;
import static dev.blobshuffle.testkit.CacheFixture.range;
import static dev.blobshuffle.testkit.CacheFixture.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.CacheOptions.WhenWriting;
import dev.blobshuffle.core.internal.cache.CacheUnit;
import dev.blobshuffle.core.internal.cache.MemoryCachedBlobStore;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.store.MeteredBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.FaultPlan;
import dev.blobshuffle.simulator.store.FaultyBlobStore;
import dev.blobshuffle.simulator.store.StoreFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MemoryCachedBlobStoreTest {
    private static final Duration LATENCY = Duration.ofMillis(100);

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final SimulatedTime time = new SimulatedTime(3);
    private final ShuffleMetrics metrics = new ShuffleMetrics();
    private final MemoryBlobStore origin = new MemoryBlobStore("cached", 10 << 20);
    private final FaultyBlobStore faulty = new FaultyBlobStore(loans.watch(origin), time, FaultPlan.gets());
    private final MeteredBlobStore metered = new MeteredBlobStore(faulty, metrics, time);
    private MemoryCachedBlobStore store = new MemoryCachedBlobStore(metered, memory(10 * SECTION), metrics);

    @AfterEach
    void end() {
        store.close();
        time.close();
        assertThat(store.usedBytes()).isZero();
    }

    private void slow() {
        faulty.follow(FaultPlan.gets(new StoreFault(StoreFault.Kind.DELAY, LATENCY)));
    }

    private void use(CacheOptions options) {
        BlobStore lent = new ForwardingBlobStore(metered) {
            @Override
            public void close() {}
        };
        store = new MemoryCachedBlobStore(lent, options, metrics);
    }

    @Test
    void theFirstReadLoadsTheSectionAndTheOthersReadItsSlices() throws Exception {
        CacheFixture.put(origin, loans, 1);
        for (BlobRange part : List.of(range(1, 10, 5), range(1, 0, SECTION), range(1, 990, 10), range(1, 10, 5))) {
            assertThat(read(store, 1, part)).isEqualTo(expected(1, part));
        }
        assertThat(metrics.value(Counter.GETS)).isEqualTo(1);
        assertThat(metrics.value(Counter.BYTES_FETCHED)).isEqualTo(SECTION);
        assertThat(metrics.value(Counter.CACHE_MEMORY_HITS)).isEqualTo(3);
        assertThat(metrics.value(Counter.CACHE_MEMORY_MISSES)).isEqualTo(1);
        assertThat(store.usedBytes()).isEqualTo(SECTION);
    }

    @Test
    void readersOfAHeldSectionShareItsMemory() throws Exception {
        CacheFixture.put(origin, loans, 1);
        read(store, 1, range(0, 0, 1));
        try (BlobBytes one = store.held(id(1), range(0, 5, 10)).orElseThrow();
                BlobBytes other = store.held(id(1), range(0, 9, 10)).orElseThrow()) {
            assertThat(one.buffer().array()).isSameAs(other.buffer().array());
        }
    }

    @Test
    void howeverManyAskAtATimeTheStoreIsAskedOnce() throws Exception {
        CacheFixture.put(origin, loans, 1);
        slow();
        List<CompletableFuture<BlobBytes>> gets = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            gets.add(store.get(id(1), range(0, i * 7, 50)).toCompletableFuture());
        }
        gets.get(4).cancel(false);
        time.settle(LATENCY);
        for (int i = 0; i < 20; i++) {
            if (i != 4) {
                assertThat(CacheFixture.bytes(gets.get(i).join())).isEqualTo(expected(1, range(0, i * 7, 50)));
            }
        }
        assertThat(metrics.value(Counter.GETS)).isEqualTo(1);
    }

    @Test
    void aFailedLoadFailsAllWhoWaitAndLeavesNothing() throws Exception {
        CacheFixture.put(origin, loans, 1);
        faulty.follow(FaultPlan.gets(new StoreFault(StoreFault.Kind.FAIL_BEFORE, LATENCY)));
        CompletableFuture<BlobBytes> one = store.get(id(1), range(0, 0, 5)).toCompletableFuture();
        CompletableFuture<BlobBytes> other = store.get(id(1), range(0, 9, 5)).toCompletableFuture();
        time.settle(LATENCY);
        assertThatThrownBy(one::join).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(other::join).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThat(store.usedBytes()).isZero();
        faulty.follow(FaultPlan.gets());
        assertThat(read(store, 1, range(0, 9, 5))).isEqualTo(expected(1, range(0, 9, 5)));
    }

    @Test
    void aSectionThatCameShortIsRefusedAndNotKept() throws Exception {
        CacheFixture.put(origin, loans, 1);
        faulty.follow(FaultPlan.gets(new StoreFault(StoreFault.Kind.TRUNCATE, Duration.ZERO)));
        assertThatThrownBy(() -> read(store, 1, range(0, 0, 5))).hasCauseInstanceOf(BlobCorruptException.class);
        assertThat(store.usedBytes()).isZero();
    }

    @Test
    void aReadAfreshAsksTheStoreAndTheCacheForgets() throws Exception {
        CacheFixture.put(origin, loans, 1);
        faulty.follow(FaultPlan.gets(new StoreFault(StoreFault.Kind.FLIP, Duration.ZERO)));
        BlobRange whole = range(0, 0, SECTION);
        assertThat(read(store, 1, whole)).isNotEqualTo(expected(1, whole));
        assertThat(read(store, 1, whole)).isNotEqualTo(expected(1, whole));
        assertThat(read(store, 1, range(0, 1, 8).afresh())).isEqualTo(expected(1, range(0, 1, 8)));
        assertThat(read(store, 1, whole)).isEqualTo(expected(1, whole));
    }

    @Test
    void aWriterKeepsTheSectionOfItsOwnZoneAndNoOther() throws Exception {
        CacheFixture.put(store, loans, 1);
        assertThat(read(store, 1, range(0, 3, 900))).isEqualTo(expected(1, range(0, 3, 900)));
        assertThat(metrics.value(Counter.GETS)).isZero();
        assertThat(store.usedBytes()).isEqualTo(SECTION);
        assertThat(read(store, 1, range(1, 3, 900))).isEqualTo(expected(1, range(1, 3, 900)));
        assertThat(metrics.value(Counter.GETS)).isEqualTo(1);
    }

    @Test
    void aRepeatedPutKeepsOneCopy() throws Exception {
        CacheFixture.put(store, loans, 1);
        CacheFixture.put(store, loans, 1);
        assertThat(store.usedBytes()).isEqualTo(SECTION);
    }

    @Test
    void aWriterThatIsToldToForgetKeepsNothing() throws Exception {
        use(new CacheOptions(CacheFixture.A, 10 * SECTION, List.of(), 0, CacheUnit.SECTION, WhenWriting.FORGET));
        CacheFixture.put(store, loans, 1);
        assertThat(store.usedBytes()).isZero();
    }

    @Test
    void segmentsAreLoadedOneByOneIfThatIsTheUnit() throws Exception {
        use(CacheFixture.options(10 * SECTION, List.of(), 0, CacheUnit.SEGMENT));
        CacheFixture.put(origin, loans, 1);
        for (int i = 0; i < 3; i++) {
            assertThat(read(store, 1, range(1, 100, 50))).isEqualTo(expected(1, range(1, 100, 50)));
        }
        read(store, 1, range(1, 150, 50));
        assertThat(metrics.value(Counter.BYTES_FETCHED)).isEqualTo(100);
    }

    @Test
    void whenAllOfItIsInUseReadsPassThrough() throws Exception {
        use(memory(2 * SECTION));
        for (int i = 1; i <= 3; i++) {
            CacheFixture.put(origin, loans, i);
        }
        BlobBytes one = CacheFixture.join(store.get(id(1), range(0, 0, 5)));
        BlobBytes two = CacheFixture.join(store.get(id(2), range(0, 0, 5)));
        assertThat(read(store, 3, range(0, 7, 20))).isEqualTo(expected(3, range(0, 7, 20)));
        assertThat(metrics.value(Counter.BYTES_FETCHED)).isEqualTo(2 * SECTION + 20);
        assertThat(metrics.value(Counter.CACHE_MEMORY_REFUSALS)).isEqualTo(1);
        one.close();
        read(store, 3, range(0, 7, 20));
        assertThat(metrics.value(Counter.CACHE_MEMORY_EVICTIONS)).isEqualTo(1);
        assertThat(CacheFixture.bytes(two)).isEqualTo(expected(2, range(0, 0, 5)));
    }

    @Test
    void aSectionTooLargeToBeWorthItPassesThrough() throws Exception {
        use(memory(SECTION));
        CacheFixture.put(origin, loans, 1);
        assertThat(read(store, 1, range(0, 7, 20))).isEqualTo(expected(1, range(0, 7, 20)));
        assertThat(store.usedBytes()).isZero();
        assertThat(metrics.value(Counter.BYTES_FETCHED)).isEqualTo(20);
    }

    @Test
    void aDeletedBlobIsForgotten() throws Exception {
        CacheFixture.put(store, loans, 1);
        CacheFixture.join(store.delete(List.of(id(1))));
        assertThatThrownBy(() -> read(store, 1, range(0, 0, 1))).hasCauseInstanceOf(BlobMissingException.class);
    }

    @Test
    void bytesOnLoanOutliveTheCache() throws Exception {
        CacheFixture.put(store, loans, 1);
        BlobBytes bytes = CacheFixture.join(store.get(id(1), range(0, 0, 10)));
        store.close();
        assertThat(CacheFixture.bytes(bytes)).isEqualTo(expected(1, range(0, 0, 10)));
    }

    /**
     * Random reads, at random speed, some failing, with random loans: what comes is what the store
     * holds, and the budget holds.
     */
    @Test
    void whateverIsReadIsWhatTheStoreHolds() throws Exception {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            CacheUnit unit = CacheUnit.values()[seed % 2];
            use(CacheFixture.options(SECTION * (1 + random.nextInt(6)), List.of(), 0, unit));
            faulty.follow(FaultPlan.random(
                    time,
                    100,
                    LATENCY,
                    List.of(StoreFault.Kind.FAIL_BEFORE, StoreFault.Kind.DELAY, StoreFault.Kind.DELAY)));
            for (int i = 0; i < 8; i++) {
                CacheFixture.put(origin, loans, i);
            }
            readAtRandom(random);
            store.close();
            assertThat(store.usedBytes()).isZero();
        }
    }

    private record Pending(int blob, BlobRange range, CompletableFuture<BlobBytes> result) {}

    private void readAtRandom(Random random) {
        List<Pending> pending = new ArrayList<>();
        for (int step = 0; step < 150; step++) {
            int offset = random.nextInt(SECTION - 1);
            BlobRange range = range(random.nextInt(2), offset, 1 + random.nextInt(SECTION - offset));
            int blob = random.nextInt(8);
            BlobRange asked = random.nextInt(20) == 0 ? range.afresh() : range;
            pending.add(new Pending(blob, range, store.get(id(blob), asked).toCompletableFuture()));
            time.settle(Duration.ofMillis(random.nextInt(60)));
            assertThat(store.usedBytes()).isLessThanOrEqualTo(6 * SECTION);
            if (pending.size() > 5) {
                check(pending.remove(random.nextInt(pending.size())));
            }
        }
        pending.forEach(this::check);
    }

    private void check(Pending read) {
        time.settle(LATENCY.multipliedBy(3));
        assertThat(read.result()).isDone();
        if (!read.result().isCompletedExceptionally()) {
            assertThat(CacheFixture.bytes(read.result().join())).isEqualTo(expected(read.blob(), read.range()));
        }
    }
}
