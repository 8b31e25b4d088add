package dev.blobshuffle.core.resilience;

import dev.blobshuffle.core.metrics.Gauge;
import dev.blobshuffle.core.metrics.ShuffleMetrics;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.ToLongFunction;

/**
 * A store that gets a bounded number of requests at a time, and fewer when it says that there are too many ({@code StoreThrottled}): the number falls by 30 % then,
 * and grows by one for each round of requests that succeed (additive increase, multiplicative decrease). Others wait for their turn, in order; when too many wait,
 * further ones are refused, so nothing here grows without bound: what waits holds bytes of its caller's budget, and that is what blocks the caller.
 * Its stages can be given up. Thread-safe; nothing blocks.
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
    <T> CompletionStage<T> run(Call<T> call) {
        ConcurrencyLimiter limiter = limiters.get(call.kind());
        if (limiter == null) {
            throw new IllegalStateException("Cannot run a request: its kind " + call.kind() + " has no limit.");
        }
        return limiter.enter(call);
    }

    /** Fails what waits with {@code Closed} and closes the store below. Idempotent. */
    @Override
    public void close() {
        limiters.values().forEach(ConcurrencyLimiter::close);
        gauges.forEach(ShuffleMetrics.Registration::close);
        super.close();
    }
}
