package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.ToLongFunction;

/**
 * Limits the requests in flight to a store. When the store throttles
 * ({@code StoreThrottledException}), the limit falls by 30 %. It increases by one for each round of
 * successful requests (additive increase, multiplicative decrease). Further requests wait in order.
 * If too many wait, new ones are refused, so the queue is bounded. Waiting requests hold bytes of
 * their caller's budget, so that budget blocks the caller. Callers can abandon the stages.
 * Thread-safe; nothing blocks.
 */
public final class ThrottledBlobStore extends InterceptingBlobStore {
    private final Map<Kind, ConcurrencyLimiter> limiters = new EnumMap<>(Kind.class);
    private final List<ShuffleMetrics.Registration> gauges;

    /** Limits the requests to a store. */
    public ThrottledBlobStore(BlobStore store, ThrottlePolicy policy, Time time, ShuffleMetrics metrics) {
        super(store);
        for (Kind kind : Kind.values()) {
            limiters.put(kind, new ConcurrencyLimiter(policy.most(kind), policy.waiting(), store.location(), time));
        }
        gauges = List.of(
                metrics.report(Gauge.STORE_REQUESTS_IN_FLIGHT, () -> sum(ConcurrencyLimiter::inFlight)),
                metrics.report(Gauge.STORE_REQUESTS_WAITING, () -> sum(ConcurrencyLimiter::waiting)));
    }

    private long sum(ToLongFunction<ConcurrencyLimiter> number) {
        return limiters.values().stream().mapToLong(number).sum();
    }

    @Override
    <T> CompletionStage<T> run(StoreCall<T> call) {
        ConcurrencyLimiter limiter = limiters.get(call.kind());
        if (limiter == null) {
            throw new IllegalStateException("Cannot run a request: its kind " + call.kind() + " has no limit.");
        }
        return limiter.enter(call);
    }

    /**
     * Fails the waiting requests with {@code ClosedException} and closes the store below.
     * Idempotent.
     */
    @Override
    public void close() {
        limiters.values().forEach(ConcurrencyLimiter::close);
        gauges.forEach(ShuffleMetrics.Registration::close);
        super.close();
    }
}
