package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.StoreHalves;
import dev.blobshuffle.core.internal.store.opening.TwoSpeedBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A store of two speeds with its decorators. Writes to each half are retried by themselves, since
 * the durable half may take much longer. Reads are retried over both halves, since a copy may be in
 * either. The metrics of requests are those of the durable half. Thread-safe.
 */
final class TwoSpeedStack extends ForwardingBlobStore {
    /**
     * The longest that the fast half tries a put. Later, the durable half has usually stored the
     * blob.
     */
    private static final Duration FAST_PUT = Duration.ofSeconds(1);

    private final BlobStore reads;
    private final List<ShuffleMetrics.Registration> gauges;

    private TwoSpeedStack(BlobStore writes, BlobStore reads, List<ShuffleMetrics.Registration> gauges) {
        super(writes);
        this.reads = reads;
        this.gauges = gauges;
    }

    /** Composes the stack; the halves stay open when it is closed. */
    static BlobStore over(
            StoreHalves halves,
            StoreRetryPolicy puts,
            Duration storing,
            ResilienceOptions options,
            Time time,
            ShuffleMetrics metrics) {
        ShuffleMetrics copies = new ShuffleMetrics(time);
        BlobStore fast =
                StoreStack.requests(halves.fast(), CircuitBreakingBlobStore.Reports.NONE, options, time, copies);
        BlobStore durable =
                StoreStack.requests(halves.durable(), CircuitBreakingBlobStore.Reports.LOG, options, time, metrics);
        StoreRetryPolicy shortly = StoreRetryPolicy.within(FAST_PUT).whenDown(StoreRetryPolicy.WhenDown.FAIL);
        BlobStore writes = new TwoSpeedBlobStore(
                new StoreHalves(
                        new RetryingBlobStore(fast, shortly, time, copies),
                        new RetryingBlobStore(durable, puts, time, metrics),
                        halves.announcing()),
                time,
                metrics);
        BlobStore either = new TwoSpeedBlobStore(new StoreHalves(fast, durable), storing, time, metrics);
        BlobStore reads = new RetryingBlobStore(either, StoreRetryPolicy.forever(), puts, time, metrics);
        return new TwoSpeedStack(
                writes,
                reads,
                List.of(
                        metrics.report(Gauge.FAST_PUTS, () -> copies.value(Counter.PUTS)),
                        metrics.report(Gauge.FAST_GETS, () -> copies.value(Counter.GETS))));
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content, Runnable whenReadable) {
        return store().put(id, content, whenReadable);
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        return reads.get(id, range);
    }

    @Override
    public CompletionStage<Long> length(BlobId id) {
        return reads.length(id);
    }

    @Override
    public void close() {
        gauges.forEach(ShuffleMetrics.Registration::close);
        super.close();
        reads.close();
    }
}
