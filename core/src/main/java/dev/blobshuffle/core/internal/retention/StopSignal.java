package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A signal that stops a sweep. It takes effect between two requests, never during one, and ends a
 * pause early. Thread-safe.
 */
public final class StopSignal {
    private static final Duration LOOK = Duration.ofMinutes(1);

    private final Time time;
    private final Signal signal;
    private volatile boolean isStopped;

    /** A signal that is not raised. */
    public StopSignal(Time time) {
        this.time = time;
        signal = time.signal();
    }

    /** Ends the sweep at its next pause or check. Idempotent. */
    public void raise() {
        isStopped = true;
        signal.raise();
    }

    /**
     * Returns normally unless the sweep must end.
     *
     * @throws ClosedException the sweep must end
     */
    public void check() {
        if (isStopped) {
            throw new ClosedException(
                    "Cannot continue the sweep: the sweeper was closed. The next sweep finds the remaining blobs.");
        }
    }

    /**
     * Waits for an answer of a store or a log, which enforces its own time limits.
     *
     * @throws java.util.concurrent.CompletionException the request failed
     * @throws InterruptedException when the thread is interrupted
     */
    public <T> T await(CompletionStage<T> request) throws InterruptedException {
        CompletableFuture<T> answer = request.toCompletableFuture();
        Signal answered = time.signal();
        CompletionStage<T> ignored = answer.whenComplete((value, failure) -> answered.raise());
        long seen = answered.count();
        while (!answer.isDone()) {
            boolean isRaised = answered.await(seen, time.nanos() + LOOK.toNanos());
            seen = isRaised ? answered.count() : seen;
        }
        return answer.join();
    }

    /**
     * Waits for a duration.
     *
     * @throws ClosedException the sweep must end
     * @throws InterruptedException when the thread is interrupted
     */
    public void rest(Duration duration) throws InterruptedException {
        long until = time.nanos() + duration.toNanos();
        boolean isOver = false;
        while (!isOver) {
            long seen = signal.count();
            check();
            isOver = !signal.await(seen, until);
        }
    }
}
