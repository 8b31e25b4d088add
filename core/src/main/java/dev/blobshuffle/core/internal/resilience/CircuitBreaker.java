package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.time.Time;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Tracks whether a store is down, for one kind of request.
 *
 * <pre>
 *   CLOSED ──failures in a row, for a while──▶ OPEN ──pause is over: one probe──▶ HALF_OPEN
 *     ▲                                        ▲ │                                  │ │
 *     │                                        │ └──late answer──▶ CLOSED           │ │
 *     │                                        └──probe fails, pause doubles────────┘ │
 *     └───────────────────────────────────────────any answer──────────────────────────┘
 * </pre>
 *
 * <p>Any answer closes the circuit, even "blob missing" or "too many requests". Thread-safe:
 * guarded by its monitor.
 */
final class CircuitBreaker {
    private enum State {
        CLOSED,
        OPEN,
        HALF_OPEN
    }

    /** The outcome of a request, as far as the circuit is concerned. */
    enum Outcome {
        ANSWERED,
        FAILED,
        /** The request was not sent, or was abandoned. It says nothing about the store. */
        UNKNOWN
    }

    /** Receives each outage once, outside the monitor. */
    interface Listener {
        void down(Throwable cause);

        void up();
    }

    private final CircuitPolicy policy;
    private final Time time;
    private final Listener listener;
    private State state = State.CLOSED;
    private int failures;
    private long firstFailureNanos;
    private long openNanos;
    private long pauseNanos;

    CircuitBreaker(CircuitPolicy policy, Time time, Listener listener) {
        this.policy = policy;
        this.time = time;
        this.listener = listener;
    }

    /** Permission to send a request. Unless it is refused, a call of {@link #ended} follows. */
    enum Leave {
        USUAL,
        PROBE,
        REFUSED
    }

    synchronized Leave ask() {
        if (state == State.CLOSED) {
            return Leave.USUAL;
        }
        if (state == State.HALF_OPEN || time.nanos() - openNanos < pauseNanos) {
            return Leave.REFUSED;
        }
        state = State.HALF_OPEN;
        return Leave.PROBE;
    }

    void ended(Leave leave, @Nullable Throwable failure) {
        Outcome outcome = outcome(failure);
        boolean goesDown = false;
        boolean comesUp = false;
        synchronized (this) {
            if (outcome == Outcome.ANSWERED) {
                comesUp = state != State.CLOSED;
                state = State.CLOSED;
                failures = 0;
            } else if (leave == Leave.PROBE) {
                if (state == State.HALF_OPEN) {
                    probeEnded(outcome);
                }
            } else if (outcome == Outcome.FAILED && state == State.CLOSED) {
                goesDown = failed();
            }
        }
        if (goesDown && failure != null) {
            listener.down(failure);
        } else if (comesUp) {
            listener.up();
        }
    }

    private void probeEnded(Outcome outcome) {
        state = State.OPEN;
        if (outcome == Outcome.FAILED) {
            openNanos = time.nanos();
            pauseNanos = Math.min(2 * pauseNanos, policy.longestPause().toNanos());
        } // Otherwise the next request is the probe.
    }

    /** Counts a failure and returns whether it opens the circuit. */
    private boolean failed() {
        long now = time.nanos();
        if (failures++ == 0) {
            firstFailureNanos = now;
        }
        if (failures < policy.failures()
                || now - firstFailureNanos < policy.span().toNanos()) {
            return false;
        }
        state = State.OPEN;
        failures = 0;
        openNanos = now;
        pauseNanos = policy.firstPause().toNanos();
        return true;
    }

    synchronized boolean isOpen() {
        return state != State.CLOSED;
    }

    private static Outcome outcome(@Nullable Throwable failure) {
        if (failure instanceof NotSentException
                || failure instanceof ClosedException
                || failure instanceof CancellationException) {
            return Outcome.UNKNOWN;
        }
        return failure instanceof StoreUnavailableException && !(failure instanceof StoreThrottledException)
                ? Outcome.FAILED
                : Outcome.ANSWERED;
    }
}
