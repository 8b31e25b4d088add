package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Fails requests without an answer in time. The limit is four times the 99th percentile of the
 * request's kind and size, at least 2 s and at most the request timeout. With too few samples it is
 * the request timeout. A request that needs longer than the timeout at 1 MiB/s gets that longer
 * time, so that a slow network still works. Deletes and listings cover many keys and have at least
 * a minute. A request that timed out is not cancelled: the retries above may still use its late
 * answer. Thread-safe.
 */
public final class TimeLimitedBlobStore extends InterceptingBlobStore {
    private static final int PERCENTILE_FACTOR = 4;
    private static final long LEAST_NANOS = Duration.ofSeconds(2).toNanos();
    private static final long OTHER_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long NANOS_PER_MEBIBYTE = Duration.ofSeconds(1).toNanos();
    private static final double MEBIBYTE = 1 << 20;

    private final Duration requestTimeout;
    private final RequestLatencies latencies;
    private final Time time;
    private final ShuffleMetrics metrics;

    /**
     * Limits the time of the requests to a store.
     *
     * @param latencies the latencies that the hedges below record
     */
    public TimeLimitedBlobStore(
            BlobStore store, Duration requestTimeout, RequestLatencies latencies, Time time, ShuffleMetrics metrics) {
        super(store);
        this.requestTimeout = requestTimeout;
        this.latencies = latencies;
        this.time = time;
        this.metrics = metrics;
    }

    Duration limit(Kind kind, long bytes) {
        long most = requestTimeout.toNanos();
        if (kind == Kind.OTHER) {
            return Duration.ofNanos(Math.max(most, OTHER_NANOS));
        }
        long transfer = (long) (bytes / MEBIBYTE * NANOS_PER_MEBIBYTE);
        long usual = latencies.p99(kind, bytes).orElse(most);
        // Apply the bound first, because the percentile of a hanging store could overflow the
        // product.
        long patient = Math.max(LEAST_NANOS, Math.min(usual, most) * PERCENTILE_FACTOR);
        return Duration.ofNanos(Math.max(transfer, Math.min(patient, most)));
    }

    @Override
    <T> CompletionStage<T> run(StoreCall<T> call) {
        Request<T> request = new Request<>(call, limit(call.kind(), call.bytes()));
        request.start();
        return request.result;
    }

    /** One request and its time limit. Thread-safe: the first end counts. */
    private final class Request<T> {
        private final StoreCall<T> call;
        private final Duration limit;
        private final CompletableFuture<T> result = new CompletableFuture<>();
        private final AtomicBoolean hasEnded = new AtomicBoolean();
        private final LateAnswer<T> late;
        private volatile Time.@Nullable Cancellable timer;

        Request(StoreCall<T> call, Duration limit) {
            this.call = call;
            this.limit = limit;
            late = new LateAnswer<>(call::discard);
        }

        void start() {
            CompletionStage<T> stage = call.start();
            if (!stage.toCompletableFuture().isDone()) {
                try {
                    timer = time.schedule(limit, this::timeOut);
                } catch (ClosedException e) {
                    hasEnded.set(true);
                    result.completeExceptionally(e);
                }
            }
            var ignored = stage.whenComplete(this::answered);
        }

        private void answered(T value, @Nullable Throwable failure) {
            if (!hasEnded.compareAndSet(false, true)) {
                if (failure == null) {
                    late.came(value);
                }
                return;
            }
            Time.Cancellable running = timer;
            if (running != null) {
                running.cancel();
            }
            if (failure == null) {
                call.complete(result, value);
            } else {
                result.completeExceptionally(Failures.unwrapped(failure));
            }
        }

        private void timeOut() {
            if (hasEnded.compareAndSet(false, true)) {
                metrics.add(Counter.REQUESTS_TIMED_OUT, 1);
                result.completeExceptionally(new NoAnswerException(
                        "Cannot " + call.what() + ": no answer from " + location() + " within " + limit.toMillis()
                                + " ms. Check the store and the network.",
                        late));
            }
        }
    }
}
