package dev.blobshuffle.core.internal.store.opening;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.store.StoreHalves;
import dev.blobshuffle.core.internal.store.StoreHalves.Announcing;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.SystemTime;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TwoSpeedBlobStoreTest {
    private static final BlobRange ALL = BlobRange.of(0, 1);

    /** A store whose requests wait or fail as the test decides. */
    private static final class Half extends ForwardingBlobStore {
        private @Nullable CompletableFuture<Void> held;
        private @Nullable RuntimeException failure;

        Half(String name) {
            super(new MemoryBlobStore(name, 1 << 20));
        }

        private <T> CompletionStage<T> unlessDown(CompletionStage<T> answer) {
            RuntimeException down = failure;
            return down == null ? answer : CompletableFuture.failedFuture(down);
        }

        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            CompletableFuture<Void> waits = held;
            CompletionStage<Void> put = unlessDown(failure == null ? super.put(id, content) : nothing());
            return waits == null ? put : waits.thenCompose(go -> put);
        }

        @SuppressWarnings("NullAway") // The only value of Void.
        private static CompletionStage<Void> nothing() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            return unlessDown(super.get(id, range));
        }

        @Override
        public CompletionStage<Long> length(BlobId id) {
            return unlessDown(super.length(id));
        }

        @Override
        public CompletionStage<Void> delete(Collection<BlobId> ids) {
            return failure == null ? super.delete(ids) : unlessDown(nothing());
        }

        @Override
        public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
            return unlessDown(super.list(owner, generation));
        }

        boolean has(BlobId id) {
            return store().length(id)
                    .handle((length, missing) -> missing == null)
                    .toCompletableFuture()
                    .join();
        }

        void fail() {
            failure = new StoreUnavailableException("Cannot answer: the test says so.");
        }

        CompletableFuture<Void> hold() {
            CompletableFuture<Void> waits = new CompletableFuture<>();
            held = waits;
            return waits;
        }
    }

    private final SystemTime time = new SystemTime();
    private final ShuffleMetrics metrics = new ShuffleMetrics();
    private final Half fast = new Half("fast");
    private final Half durable = new Half("durable");
    private final TwoSpeedBlobStore store =
            new TwoSpeedBlobStore(new StoreHalves(fast, durable), Duration.ofMinutes(2), time, metrics);
    private final AtomicInteger announced = new AtomicInteger();
    private final BlobId young = new BlobId(time.wallMillis() / BlobId.MILLIS_PER_GENERATION, 1, 1);
    private final BlobId old = new BlobId(young.generation() - 10, 1, 1);

    @AfterEach
    void close() {
        store.close();
        time.close();
    }

    private CompletableFuture<Void> put(BlobId id) {
        return store.put(id, BlobContent.of(new byte[] {7}), announced::incrementAndGet)
                .toCompletableFuture();
    }

    private static void putIn(BlobStore half, BlobId id, int value) {
        half.put(id, BlobContent.of(new byte[] {(byte) value}))
                .toCompletableFuture()
                .join();
    }

    private int read(BlobId id, BlobRange range) {
        try (BlobBytes bytes = store.get(id, range).toCompletableFuture().join()) {
            return bytes.buffer().get(0);
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    @Test
    void aBlobIsReadableWithItsFastCopyAndDurableLater() {
        CompletableFuture<Void> slow = durable.hold();

        CompletableFuture<Void> put = put(young);

        assertThat(announced).hasValue(1);
        assertThat(put).isNotDone();
        assertThat(read(young, ALL)).isEqualTo(7);
        slow.complete(null);
        assertThat(put).isCompleted();
        assertThat(durable.has(young)).isTrue();
    }

    @Test
    void anOrdinaryPutEndsWhenTheBlobIsDurable() {
        CompletableFuture<Void> slow = durable.hold();
        CompletionStage<Void> put = store.put(young, BlobContent.of(new byte[1]));
        assertThat(put.toCompletableFuture()).isNotDone();
        slow.complete(null);
        assertThat(put.toCompletableFuture()).isCompleted();
    }

    @Test
    void withoutTheFastStoreABlobIsAnnouncedWhenItIsDurable() {
        fast.fail();
        CompletableFuture<Void> slow = durable.hold();

        CompletableFuture<Void> put = put(young);

        assertThat(announced).hasValue(0);
        assertThat(put).isNotDone();
        slow.complete(null);
        assertThat(put).isCompleted();
        assertThat(metrics.value(Gauge.FAST_STORE_DOWN)).isEqualTo(1);
        assertThat(metrics.value(Counter.FAST_PUT_FAILURES)).isEqualTo(1);
    }

    @Test
    void theFastStoreComesBackByItself() {
        fast.fail();
        put(young).join();
        fast.failure = null;
        put(new BlobId(young.generation(), 1, 2)).join();
        assertThat(announced).hasValue(1);
        assertThat(metrics.value(Gauge.FAST_STORE_DOWN)).isZero();
    }

    @Test
    void aPutFailsIfTheDurableStoreFailsAfterTheAnnouncement() {
        durable.fail();
        assertThat(put(young)).isCompletedExceptionally();
        assertThat(announced).hasValue(1);
    }

    @Test
    void aReadAsksTheFastStoreThenTheDurableOne() {
        putIn(fast, old, 1);
        putIn(durable, old, 2);
        assertThat(read(old, ALL)).isEqualTo(1);
        assertThat(read(old, ALL.afresh())).as("after a damaged copy").isEqualTo(2);
        fast.fail();
        assertThat(read(old, ALL)).isEqualTo(2);
        assertThat(metrics.value(Counter.FAST_GET_FAILURES)).isEqualTo(1);
    }

    @Test
    void aReadAfreshFindsABlobThatOnlyTheFastStoreHas() {
        putIn(fast, young, 1);
        assertThat(read(young, ALL.afresh())).isEqualTo(1);
    }

    @Test
    void onlyAnOldBlobThatBothStoresLackIsMissing() {
        assertThatThrownBy(() -> read(old, ALL)).isInstanceOf(BlobMissingException.class);
        assertThatThrownBy(() -> read(young, ALL))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("yet");
        fast.fail();
        assertThatThrownBy(() -> read(old, ALL)).isInstanceOf(StoreUnavailableException.class);
    }

    /** The minute of a generation, the time of the writer's put, and two minutes for clocks. */
    @Test
    void theWaitForABlobFollowsTheDeliveryTimeout() {
        BlobId minutesOld = new BlobId(young.generation() - 6, 1, 1);
        assertThatThrownBy(() -> read(minutesOld, ALL)).isInstanceOf(BlobMissingException.class);

        TwoSpeedBlobStore patient =
                new TwoSpeedBlobStore(new StoreHalves(fast, durable), Duration.ofMinutes(10), time, metrics);
        assertThat(patient.get(minutesOld, ALL).toCompletableFuture())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(patient.get(new BlobId(young.generation() - 14, 1, 1), ALL).toCompletableFuture())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(BlobMissingException.class);
    }

    @Test
    void aStoreThatAnnouncesDurableBlobsReportsNoneEarly() {
        CompletableFuture<Void> slow = durable.hold();
        TwoSpeedBlobStore late =
                new TwoSpeedBlobStore(new StoreHalves(fast, durable, Announcing.DURABLE), time, metrics);

        CompletableFuture<Void> put = late.put(young, BlobContent.of(new byte[] {7}), announced::incrementAndGet)
                .toCompletableFuture();

        assertThat(announced).hasValue(0);
        assertThat(fast.has(young)).as("a copy for readers").isTrue();
        slow.complete(null);
        assertThat(put).isCompleted();
        assertThat(announced).hasValue(0);
    }

    /** A tool deletes a blob and asks for it. */
    @Test
    void withoutReadersABlobThatBothStoresLackIsMissingAtOnce() {
        TwoSpeedBlobStore raw = new TwoSpeedBlobStore(new StoreHalves(fast, durable), time, metrics);
        BlobId ofAClockAhead = new BlobId(young.generation() + 10, 1, 1);
        for (BlobId missing : List.of(young, ofAClockAhead)) {
            assertThat(raw.get(missing, ALL).toCompletableFuture())
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(BlobMissingException.class);
        }
    }

    @Test
    void deletionsAndListingsCoverBothStores() {
        BlobId other = new BlobId(old.generation(), 1, 2);
        putIn(fast, old, 1);
        putIn(fast, other, 1);
        putIn(durable, old, 1);
        assertThat(listed()).containsExactlyInAnyOrder(old, other);
        assertThat(store.length(other).toCompletableFuture().join()).isEqualTo(1);

        store.delete(List.of(old, other)).toCompletableFuture().join();

        assertThat(listed()).isEmpty();
        assertThat(fast.has(old) || fast.has(other) || durable.has(old)).isFalse();
    }

    @Test
    void sweepsGoOnWithoutTheFastStore() {
        putIn(fast, old, 1);
        putIn(durable, old, 1);
        fast.fail();
        assertThat(listed()).containsExactly(old);
        store.delete(List.of(old)).toCompletableFuture().join();
        assertThat(durable.has(old)).isFalse();
        fast.failure = null;
        assertThat(listed()).as("its copy is found later").containsExactly(old);
    }

    @Test
    void aFailureOfTheDurableStoreIsNotHidden() {
        durable.fail();
        assertThat(store.list(0, old.generation()).toCompletableFuture()).isCompletedExceptionally();
        assertThat(store.delete(List.of(old)).toCompletableFuture()).isCompletedExceptionally();
    }

    private List<BlobId> listed() {
        return store.list(0, old.generation()).toCompletableFuture().join().stream()
                .map(StoredBlob::id)
                .toList();
    }
}
