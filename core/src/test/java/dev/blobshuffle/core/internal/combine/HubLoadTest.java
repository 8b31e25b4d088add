package dev.blobshuffle.core.internal.combine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.internal.combine.PartRefusedException.Reason;
import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.SystemTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Many contributors that hand over at the same moment more than the hub's memory holds. */
class HubLoadTest {
    private static final int CONTRIBUTORS = 64;
    private static final int ROUNDS = 4;
    private static final int PART_BYTES = 2 << 20;
    private static final long BUFFER_BYTES = 64L << 20;

    /** Puts end when the test lets them, on another thread. */
    private static final class HeldStore extends ForwardingBlobStore {
        private final ConcurrentLinkedQueue<Runnable> held = new ConcurrentLinkedQueue<>();

        HeldStore() {
            super(new MemoryBlobStore("load", 1));
        }

        @Override
        public int fingerprint() {
            return TestParts.STORE;
        }

        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            content.retain();
            CompletableFuture<Void> end = new CompletableFuture<>();
            held.add(() -> {
                content.release();
                end.complete(null);
            });
            return end;
        }

        void finish() {
            for (Runnable put = held.poll(); put != null; put = held.poll()) {
                put.run();
            }
        }
    }

    @Test
    void sixtyFourContributorsAtOnceFillTheMemoryAndNeverMore() throws Exception {
        SystemTime time = new SystemTime();
        ShuffleMetrics metrics = new ShuffleMetrics();
        HeldStore store = new HeldStore();
        CombineOptions options = CombineOptions.of(4 << 20, 16 << 20, BUFFER_BYTES);
        Hub hub = new Hub(store, options, time, metrics, new Hub.Names(99, 0), owner -> true);
        ExecutorService threads = Executors.newFixedThreadPool(CONTRIBUTORS);
        AtomicLong most = new AtomicLong();
        int taken = 0;
        int refused = 0;
        try {
            byte[] value = new byte[PART_BYTES];
            for (int round = 0; round < ROUNDS; round++) {
                CyclicBarrier barrier = new CyclicBarrier(CONTRIBUTORS);
                List<Future<CompletableFuture<PartAnswer>>> handed = new ArrayList<>();
                for (int writer = 1; writer <= CONTRIBUTORS; writer++) {
                    BlobLayout part = TestParts.layoutOf(TestParts.id(writer, round), value, 1);
                    handed.add(threads.submit(() -> hand(hub, part, barrier, most, metrics)));
                }
                List<CompletableFuture<PartAnswer>> answers = new ArrayList<>();
                for (Future<CompletableFuture<PartAnswer>> each : handed) {
                    answers.add(each.get());
                }
                CompletableFuture<Void> all = CompletableFuture.allOf(ended(answers));
                await().atMost(Duration.ofMinutes(2)).until(() -> {
                    store.finish(); // The hub's window may be open still.
                    return all.isDone();
                });
                for (CompletableFuture<PartAnswer> answer : answers) {
                    taken += answer.isCompletedExceptionally() ? 0 : 1;
                    refused += answer.isCompletedExceptionally() ? 1 : 0;
                }
                assertThat(metrics.value(Gauge.COMBINE_BUFFER_USED)).isZero();
            }
        } finally {
            threads.shutdownNow();
            assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
            hub.close();
            time.close();
        }
        assertThat(most.get()).isBetween(BUFFER_BYTES / 2, BUFFER_BYTES);
        assertThat(taken).as("half of the parts fit").isGreaterThanOrEqualTo(ROUNDS * 31);
        assertThat(refused).isPositive().isEqualTo((int) metrics.value(Counter.PARTS_TURNED_AWAY));
        assertThat(metrics.value(Counter.PARTS_TAKEN)).isEqualTo(taken);
    }

    private static CompletableFuture<?>[] ended(List<CompletableFuture<PartAnswer>> answers) {
        return answers.stream()
                .map(answer -> answer.handle((given, failure) -> true))
                .toArray(CompletableFuture[]::new);
    }

    private static CompletableFuture<PartAnswer> hand(
            Hub hub, BlobLayout part, CyclicBarrier barrier, AtomicLong most, ShuffleMetrics metrics)
            throws InterruptedException, BrokenBarrierException {
        barrier.await();
        boolean isReserved = hub.reserve(part.length());
        most.accumulateAndGet(metrics.value(Gauge.COMBINE_BUFFER_USED), Math::max);
        if (!isReserved) {
            return CompletableFuture.failedFuture(
                    new PartRefusedException(Reason.BUSY, "Cannot combine: the memory is full. Put it."));
        }
        ByteBuffer bytes = ByteBuffer.wrap(TestParts.bytes(part));
        return hub.take(part.id(), bytes, () -> {}).toCompletableFuture();
    }
}
