package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.store.MeteredBlobStore;
import dev.blobshuffle.core.internal.store.SingleFlightBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.FaultPlan;
import dev.blobshuffle.simulator.store.FaultyBlobStore;
import dev.blobshuffle.simulator.store.StoreFault;
import dev.blobshuffle.simulator.store.StoreFault.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SingleFlightBlobStoreTest {
    private static final BlobId ID = new BlobId(1, 2, 3);
    private static final BlobRange RANGE = BlobRange.of(2, 4);
    private static final Duration LATENCY = Duration.ofMillis(100);

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final SimulatedTime time = new SimulatedTime(12);
    private final ShuffleMetrics metrics = new ShuffleMetrics();
    private final FaultyBlobStore slow = new FaultyBlobStore(
            loans.watch(new MemoryBlobStore("flights", 1 << 20)), time, request -> new StoreFault(Kind.DELAY, LATENCY));
    private final BlobStore store = new SingleFlightBlobStore(new MeteredBlobStore(slow, metrics, time));

    @BeforeEach
    void putBlob() {
        TrackedContent content = loans.content(new byte[] {0, 1, 2, 3, 4, 5, 6, 7});
        store.put(ID, content);
        content.release();
        time.settle(LATENCY);
    }

    @AfterEach
    void end() {
        store.close();
        time.close();
    }

    private CompletableFuture<BlobBytes> get(BlobRange range) {
        return store.get(ID, range).toCompletableFuture();
    }

    @Test
    void concurrentReadsOfARangeShareOneDownloadAndEachHasItsOwnPosition() {
        List<CompletableFuture<BlobBytes>> gets = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            gets.add(get(RANGE));
        }
        time.settle(LATENCY);
        for (CompletableFuture<BlobBytes> get : gets) {
            BlobBytes bytes = get.join();
            assertThat(bytes.buffer().get()).isEqualTo((byte) 2);
            assertThat(bytes.buffer().remaining()).isEqualTo(3);
            bytes.close();
            bytes.close(); // Idempotent: the others still read.
        }
        assertThat(metrics.value(Counter.GETS)).isEqualTo(1);
    }

    @Test
    void otherRangesAndLaterReadsAreDownloadsOfTheirOwn() {
        CompletableFuture<BlobBytes> one = get(RANGE);
        CompletableFuture<BlobBytes> other = get(BlobRange.of(2, 5));
        time.settle(LATENCY);
        CompletableFuture<BlobBytes> later = get(RANGE);
        time.settle(LATENCY);
        one.join().close();
        other.join().close();
        later.join().close();
        assertThat(metrics.value(Counter.GETS)).isEqualTo(3);
    }

    @Test
    void aFailedDownloadFailsAllWhoWaitAndIsForgotten() {
        slow.follow(FaultPlan.gets(new StoreFault(Kind.FAIL_BEFORE, LATENCY)));
        CompletableFuture<BlobBytes> one = get(RANGE);
        CompletableFuture<BlobBytes> other = get(RANGE);
        time.settle(LATENCY);
        assertThatThrownBy(one::join).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(other::join).hasCauseInstanceOf(StoreUnavailableException.class);
        get(RANGE).join().close();
    }

    @Test
    void whoGivesUpLeavesTheOthersTheirBytes() {
        CompletableFuture<BlobBytes> one = get(RANGE);
        CompletableFuture<BlobBytes> other = get(RANGE);
        assertThat(one.cancel(false)).isTrue();
        time.settle(LATENCY);
        assertThat(other.join().buffer().remaining()).isEqualTo(4);
        other.join().close();
    }

    @Test
    void aDownloadThatAllHaveGivenUpIsForgottenAndItsBytesGoBack() {
        CompletableFuture<BlobBytes> one = get(RANGE);
        CompletableFuture<BlobBytes> other = get(RANGE);
        one.cancel(false);
        other.cancel(false);
        CompletableFuture<BlobBytes> later = get(RANGE);
        assertThat(metrics.value(Counter.GETS)).isEqualTo(2);
        time.settle(LATENCY);
        later.join().close();
    }

    @Test
    void aStoreThatThrowsFailsTheReadAndIsAskedAgain() {
        AtomicInteger asked = new AtomicInteger();
        BlobStore broken = new SingleFlightBlobStore(new ForwardingBlobStore(slow) {
            @Override
            public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
                asked.incrementAndGet();
                throw new IllegalStateException("broken decorator");
            }
        });
        for (int i = 1; i <= 2; i++) {
            assertThatThrownBy(() -> broken.get(ID, RANGE).toCompletableFuture().join())
                    .hasCauseInstanceOf(IllegalStateException.class);
            assertThat(asked).hasValue(i);
        }
    }
}
