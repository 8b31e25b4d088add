package dev.blobshuffle.testkit.resilience;

import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.FaultyBlobStore;
import dev.blobshuffle.simulator.store.StoreFault;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A decorator over a faulty store in memory, under virtual time. */
final class DecoratorFixture implements AutoCloseable {
    private static final byte[] BYTES = {1, 2, 3};

    final SimulatedTime time;
    final ShuffleMetrics metrics = new ShuffleMetrics();
    final LoanCheck loans;
    final FaultyBlobStore faulty;
    final CountingBlobStore counting;
    BlobStore store;
    private long sequence;

    DecoratorFixture(LoanCheck loans, long seed) {
        this.loans = loans;
        time = new SimulatedTime(seed);
        faulty = new FaultyBlobStore(
                loans.watch(new MemoryBlobStore("decorated", 1 << 24)), time, request -> StoreFault.NONE);
        counting = new CountingBlobStore(faulty);
        store = counting;
    }

    DecoratorFixture decorate(Function<BlobStore, BlobStore> decorator) {
        store = decorator.apply(store);
        return this;
    }

    /** Puts a new blob. */
    CompletableFuture<Void> put() {
        return put(loans.content(BYTES.clone()));
    }

    /** Puts a new blob of that content, whose first reference it gives back. */
    CompletableFuture<Void> put(TrackedContent content) {
        CompletableFuture<Void> put =
                store.put(new BlobId(1, 2, sequence++), content).toCompletableFuture();
        content.release();
        return put;
    }

    /** Puts a blob to be read. */
    BlobId stored() {
        BlobId id = new BlobId(1, 2, sequence);
        put().join();
        return id;
    }

    /** Reads a stored blob. */
    CompletableFuture<BlobBytes> get(BlobId id) {
        return store.get(id, BlobRange.of(0, BYTES.length)).toCompletableFuture();
    }

    void settle(long millis) {
        time.settle(Duration.ofMillis(millis));
    }

    /** Every request from now on takes so long. */
    void delay(long millis) {
        faulty.follow(request -> delayed(millis));
    }

    static StoreFault delayed(long millis) {
        return new StoreFault(StoreFault.Kind.DELAY, Duration.ofMillis(millis));
    }

    long value(Counter counter) {
        return metrics.value(counter);
    }

    /** Lets every request end that can. */
    @Override
    public void close() {
        time.settle(Duration.ofMinutes(5));
        store.close();
        time.close();
    }
}
