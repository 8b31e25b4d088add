package dev.blobshuffle.core.internal.metrics;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether a service that an instance needs answers, from the results of the instance's own
 * requests. Thread-safe; an answer writes memory only if it ends a failure.
 */
public final class Answers {
    private final LongSupplier nanoClock;
    private volatile @Nullable Failed lastFailed;

    /** @param nanoClock a monotonic clock, in nanoseconds */
    public Answers(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Records that a request failed, even if a retry succeeds later. */
    public void failed(Throwable failure) {
        failed(failure, nanoClock.getAsLong());
    }

    /**
     * As {@link #failed(Throwable)}, for a request that may have waited long for its answer.
     *
     * @param begunNanos the begin of the request, by the same clock
     */
    public void failed(Throwable failure, long begunNanos) {
        long now = nanoClock.getAsLong();
        Failed before = lastFailed;
        long since = before == null || before.isOver() ? begunNanos : before.sinceNanos();
        lastFailed = new Failed(failure.toString(), since, now, false);
    }

    /** Records that the service answered a request. */
    public void answered() {
        Failed failed = lastFailed;
        if (failed != null && !failed.isOver()) {
            lastFailed = new Failed(failed.message(), failed.sinceNanos(), failed.lastNanos(), true);
        }
    }

    /** The last request that failed; empty if none has failed. */
    public Optional<LastFailure> lastFailure() {
        long now = nanoClock.getAsLong();
        return Optional.ofNullable(lastFailed)
                .map(failed -> new LastFailure(
                        failed.message(),
                        Duration.ofNanos(now - failed.lastNanos()),
                        failed.isOver() ? Optional.empty() : Optional.of(Duration.ofNanos(now - failed.sinceNanos()))));
    }

    /**
     * The time since the begin of the first of the consecutive failed requests; zero if the last
     * one had an answer.
     */
    public Duration unanswered() {
        return lastFailure().flatMap(LastFailure::lasting).orElse(Duration.ZERO);
    }

    /**
     * Consecutive failures: the last one's message, and the times of the first and the last one.
     */
    private record Failed(String message, long sinceNanos, long lastNanos, boolean isOver) {}

    /**
     * The last failed request.
     *
     * @param message the failure as logs show it
     * @param age the time since the failure
     * @param lasting the time since the first of the consecutive failures; empty if a request has
     *     succeeded since the last one
     */
    public record LastFailure(String message, Duration age, Optional<Duration> lasting) {}
}
