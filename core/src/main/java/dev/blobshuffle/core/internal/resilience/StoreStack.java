package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.LentBlobStore;
import dev.blobshuffle.core.internal.store.MeteredBlobStore;
import dev.blobshuffle.core.internal.store.StoreHalves;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;

/**
 * Puts the decorators around a store, always in the same order ({@code docs/stores.md}). From the
 * engine to the store:
 *
 * <pre>
 *   {@link RetryingBlobStore}          deadline of an operation, pauses, retry budget
 *   {@link CircuitBreakingBlobStore}   fails at once while the store is down; above the queue,
 *                                so that no request waits for a store that is down
 *   {@link ThrottledBlobStore}         bounds the requests in flight; above the clocks,
 *                                so that waiting here does not count as latency of the store
 *   {@link TimeLimitedBlobStore}       limits the time of an attempt; above the hedge,
 *                                so that both requests of a race share one limit
 *   {@link HedgingBlobStore}           sends slow requests a second time and records all latencies
 *   {@link MeteredBlobStore}           counts every request; below everything that repeats,
 *                                because providers bill each request
 *   the store
 * </pre>
 *
 * <p>A store of two speeds has the lower decorators around each half ({@link TwoSpeedStack}).
 *
 * <p>Caches are above the stack, so their hits cause no requests. An instance may have a decorator
 * for blobs that are not stored yet between the stack and the caches. Stateless.
 */
public final class StoreStack {
    private StoreStack() {}

    /**
     * A store with all decorators. Closing it ends the pending requests; the store itself stays
     * open.
     *
     * @param puts the policy for puts, deletes and listings; reads are retried until their reader
     *     abandons them
     * @param storing the longest that writers store a blob that readers know: with a store of two
     *     speeds, a blob that neither half has is missing only if it is older
     */
    public static BlobStore over(
            BlobStore store,
            StoreRetryPolicy puts,
            Duration storing,
            ResilienceOptions options,
            Time time,
            ShuffleMetrics metrics) {
        return StoreHalves.of(store)
                .map(halves -> TwoSpeedStack.over(halves, puts, storing, options, time, metrics))
                .orElseGet(() -> new RetryingBlobStore(
                        requests(store, CircuitBreakingBlobStore.Reports.LOG, options, time, metrics),
                        StoreRetryPolicy.forever(),
                        puts,
                        time,
                        metrics));
    }

    /** A store with all decorators below the retries. */
    static BlobStore requests(
            BlobStore store,
            CircuitBreakingBlobStore.Reports outages,
            ResilienceOptions options,
            Time time,
            ShuffleMetrics metrics) {
        boolean hedges = options.hedging() == ResilienceOptions.Hedging.ON && store.isRemote();
        HedgePolicy extra = hedges ? HedgePolicy.within(ThrottlePolicy.USUAL) : HedgePolicy.NEVER;
        RequestLatencies latencies = new RequestLatencies();
        BlobStore metered = new MeteredBlobStore(new LentBlobStore(store), metrics, time);
        BlobStore hedged = new HedgingBlobStore(metered, extra, latencies, time, metrics);
        BlobStore limited = new TimeLimitedBlobStore(hedged, options.requestTimeout(), latencies, time, metrics);
        BlobStore throttled = new ThrottledBlobStore(limited, ThrottlePolicy.USUAL, time, metrics);
        return new CircuitBreakingBlobStore(throttled, CircuitPolicy.USUAL, outages, time, metrics);
    }
}
