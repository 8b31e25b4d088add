package dev.blobshuffle.core.resilience;

import dev.blobshuffle.core.metrics.ShuffleMetrics;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.LentBlobStore;
import dev.blobshuffle.core.store.MeteredBlobStore;
import dev.blobshuffle.core.time.Time;

/**
 * Puts the decorators around a store, always in the same order ({@code docs/stores.md}). From the engine to the store:
 *
 * <pre>
 *   {@link RetryingBlobStore}          an operation: total deadline, attempts with random pauses, retry budget
 *   {@link CircuitBreakingBlobStore}   fails at once while the store is down: above the queue, so that nothing waits for a store that is down
 *   {@link ThrottledBlobStore}         a bounded number of requests at a time: above the clocks, so that waiting here does not count as the store's slowness
 *   {@link TimeLimitedBlobStore}       an attempt's time limit: above the hedge, so that it has the same time as its race
 *   {@link HedgingBlobStore}           a second request for a slow one, and the record of how long requests take
 *   {@link MeteredBlobStore}           counts every request: below everything that repeats, since providers bill each
 *   the store
 * </pre>
 *
 * <p>Caches lie above it: what they hold is not asked for. Stateless.
 */
public final class StoreStack {
    private StoreStack() {}

    /**
     * A store with all decorators. Closing it ends what is pending, and not the store.
     *
     * @param puts how puts, deletes and listings are tried again; reads are until their reader gives them up
     */
    public static BlobStore over(
            BlobStore store, RetryPolicy puts, ResilienceOptions options, Time time, ShuffleMetrics metrics) {
        boolean hedges = options.hedging() == ResilienceOptions.Hedging.ON && store.isRemote();
        HedgePolicy extra = hedges ? HedgePolicy.within(ThrottlePolicy.USUAL) : HedgePolicy.NEVER;
        RequestLatencies latencies = new RequestLatencies();
        BlobStore metered = new MeteredBlobStore(new LentBlobStore(store), metrics, time);
        BlobStore hedged = new HedgingBlobStore(metered, extra, latencies, time, metrics);
        BlobStore limited = new TimeLimitedBlobStore(hedged, options.requestTimeout(), latencies, time, metrics);
        BlobStore throttled = new ThrottledBlobStore(limited, ThrottlePolicy.USUAL, time, metrics);
        BlobStore breaking = new CircuitBreakingBlobStore(throttled, CircuitPolicy.USUAL, time, metrics);
        return new RetryingBlobStore(breaking, RetryPolicy.forever(), puts, time, metrics);
    }
}
