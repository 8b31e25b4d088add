package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Sends a put or get a second time when it takes longer than 95 % of comparable requests. The first
 * answer counts. Hedging shortens the tail of the latency, because a commit waits for its slowest
 * upload. The extra requests are bounded: at most one per request, 5 % in all, and a few at a time.
 * Hedging stops while the whole store is slow, because it would add load. A store counts as slow
 * when it throttles more than 1 % of the requests, or when the median is twice the usual one.
 *
 * <p>Both puts write the same bytes under the same key, so it does not matter which one wins. Both
 * requests run to their end. The content is held until both have ended, and the bytes of the later
 * answer are released. Thread-safe; nothing blocks.
 */
public final class HedgingBlobStore extends InterceptingBlobStore {
    private static final double MOST_THROTTLED = 0.01;
    private static final double THROTTLED_WEIGHT = 1.0 / 256;
    private static final double BUDGET_MOST = 10;
    private static final double BUDGET_FIRST = 1;

    private final HedgePolicy policy;
    private final RequestLatencies latencies;
    private final Time time;
    private final ShuffleMetrics metrics;
    private final Pool puts;
    private final Pool gets;

    /** Share of recent requests that the store throttled. Guarded by this. */
    private double throttled;

    /**
     * Hedges the requests to a store.
     *
     * @param latencies records the time of every request, and defines which times are long
     */
    public HedgingBlobStore(
            BlobStore store, HedgePolicy policy, RequestLatencies latencies, Time time, ShuffleMetrics metrics) {
        super(store);
        this.policy = policy;
        this.latencies = latencies;
        this.time = time;
        this.metrics = metrics;
        puts = new Pool(policy.puts());
        gets = new Pool(policy.gets());
    }

    @Override
    <T> CompletionStage<T> run(StoreCall<T> call) {
        Race<T> race = new Race<>(call);
        race.start();
        return race.result;
    }

    private Duration delay(Kind kind, long bytes) {
        long nanos = latencies.p95(kind, bytes).orElse(policy.firstDelay(kind).toNanos());
        return Duration.ofNanos(Math.max(nanos, policy.leastDelay().toNanos()));
    }

    private synchronized void observe(@Nullable Throwable failure) {
        throttled += THROTTLED_WEIGHT * ((failure instanceof StoreThrottledException ? 1 : 0) - throttled);
    }

    private synchronized boolean isThrottled() {
        return throttled > MOST_THROTTLED;
    }

    /** The budget for extra requests of one kind. Thread-safe: guarded by its monitor. */
    private final class Pool {
        private final int most;
        private final TokenBucket budget;
        private int inFlight;

        Pool(int most) {
            this.most = most;
            budget = new TokenBucket(policy.share(), 0, BUDGET_MOST, BUDGET_FIRST, time);
        }

        synchronized boolean tryEnter() {
            if (inFlight >= most || !budget.tryTake()) {
                return false;
            }
            inFlight++;
            return true;
        }

        synchronized void leave() {
            inFlight--;
        }
    }

    /**
     * One call, with its one or two requests. Thread-safe: guarded by its monitor, which is not
     * held over calls.
     */
    private final class Race<T> {
        private final StoreCall<T> call;
        private final Pool pool;
        private final CompletableFuture<T> result = new CompletableFuture<>();
        private int running = 1;
        private boolean isDecided;
        private Time.@Nullable Cancellable timer;

        Race(StoreCall<T> call) {
            this.call = call;
            pool = call.kind() == Kind.PUT ? puts : gets;
        }

        void start() {
            boolean mayHedge = policy.most(call.kind()) > 0;
            if (mayHedge) {
                pool.budget.request();
                call.content().retain(); // For the second request, until the race is decided.
            }
            send(mayHedge, false);
            if (mayHedge && !result.isDone()) {
                try {
                    Time.Cancellable scheduled = time.schedule(delay(call.kind(), call.bytes()), this::hedge);
                    synchronized (this) {
                        timer = scheduled;
                    }
                } catch (ClosedException e) {
                    // The process is ending, so no second request is sent.
                }
            }
        }

        private void hedge() {
            if (isThrottled() || latencies.areSlow(call.kind(), call.bytes()) || !pool.tryEnter()) {
                return;
            }
            boolean isTooLate;
            synchronized (this) {
                isTooLate = isDecided;
                if (!isTooLate) {
                    running++;
                    call.content().retain(); // The race may be decided while the request is being sent.
                }
            }
            if (isTooLate) {
                pool.budget.giveBack();
                pool.leave();
                return;
            }
            metrics.add(Counter.HEDGES, 1);
            try {
                send(true, true);
            } finally {
                call.content().release();
            }
        }

        private void send(boolean holds, boolean isHedge) {
            long sentNanos = time.nanos();
            var ignored = call.start().whenComplete((value, failure) -> {
                if (isHedge) {
                    pool.leave();
                }
                Throwable cause = failure == null ? null : Failures.unwrapped(failure);
                observe(cause);
                if (cause == null) {
                    latencies.record(call.kind(), call.bytes(), time.nanos() - sentNanos);
                }
                ended(value, cause, holds, isHedge);
            });
        }

        private void ended(T value, @Nullable Throwable failure, boolean holds, boolean isHedge) {
            boolean decides;
            synchronized (this) {
                running--;
                // A failure does not decide the race while another request may still succeed.
                decides = !isDecided && (running == 0 || !(failure instanceof StoreUnavailableException));
                isDecided |= decides;
                if (decides && timer != null) {
                    timer.cancel();
                }
            }
            if (!decides) {
                if (failure == null) {
                    call.discard(value);
                }
                return;
            }
            if (holds) {
                call.content().release();
            }
            if (failure == null) {
                if (isHedge) {
                    metrics.add(Counter.HEDGES_WON, 1);
                }
                call.complete(result, value);
            } else {
                result.completeExceptionally(failure);
            }
        }
    }
}
