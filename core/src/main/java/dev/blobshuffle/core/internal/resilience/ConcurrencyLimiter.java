package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.time.Time;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Limits the concurrent requests of one kind and queues the others in order. The limit adapts to
 * what the store accepts. Thread-safe: guarded by its monitor.
 */
final class ConcurrencyLimiter {
    private static final double DECREASE = 0.7;

    private final int most;
    private final int mostWaiting;
    private final String location;
    private final Time time;
    private final Deque<Place<?>> queue = new ArrayDeque<>();
    private double limit;
    private int inFlight;
    private long decreasedNanos;
    private boolean isDraining;
    private boolean isClosed;

    ConcurrencyLimiter(int most, int mostWaiting, String location, Time time) {
        this.most = most;
        this.mostWaiting = mostWaiting;
        this.location = location;
        this.time = time;
        limit = most;
        decreasedNanos = time.nanos();
    }

    /** A request's place in the queue, and later its stage. */
    private final class Place<T> extends CompletableFuture<T> implements Abandonable {
        private final StoreCall<T> call;
        private long sentNanos;
        private volatile boolean isUnwanted;

        Place(StoreCall<T> call) {
            this.call = call;
        }

        /** Sends the request. The caller has already counted it as in flight. */
        void send() {
            sentNanos = time.nanos();
            var ignored = call.start().whenComplete(this::ended);
        }

        private void ended(T value, @Nullable Throwable failure) {
            Throwable cause = failure == null ? null : Failures.unwrapped(failure);
            left(sentNanos, cause);
            if (cause != null) {
                completeExceptionally(cause);
            } else if (isUnwanted) {
                call.discard(value);
                boolean ignored = cancel(false);
            } else {
                call.complete(this, value);
            }
            drain();
        }

        @Override
        public void abandon() {
            isUnwanted = true;
            boolean wasWaiting;
            synchronized (ConcurrencyLimiter.this) {
                wasWaiting = queue.remove(this);
            }
            if (wasWaiting) {
                boolean ignored = cancel(false);
                call.content().release();
            }
        }

        void fail() {
            completeExceptionally(new ClosedException("Cannot " + call.what() + ": " + location
                    + " was closed. Close the store after everything that uses it."));
        }
    }

    /** The decision on a new request. */
    private enum Entry {
        GOES,
        WAITS,
        REFUSED,
        TOO_LATE
    }

    <T> CompletionStage<T> enter(StoreCall<T> call) {
        Place<T> place = new Place<>(call);
        switch (admit(place)) {
            case GOES -> place.send();
            case WAITS -> {}
            case REFUSED ->
                place.completeExceptionally(
                        new NotSentException(
                                NotSentException.Reason.QUEUE_IS_FULL,
                                "Cannot " + call.what() + ": " + mostWaiting + " requests wait for " + location
                                        + " already. The store is slow, or throttles: give it more capacity, or send it fewer, larger blobs."));
            case TOO_LATE -> place.fail();
        }
        return place;
    }

    private synchronized Entry admit(Place<?> place) {
        if (isClosed) {
            return Entry.TOO_LATE;
        }
        if (queue.isEmpty() && inFlight < (int) limit) {
            inFlight++;
            return Entry.GOES;
        }
        if (queue.size() >= mostWaiting) {
            return Entry.REFUSED;
        }
        place.call.content().retain();
        queue.add(place);
        return Entry.WAITS;
    }

    /** Records the end of a request. */
    private synchronized void left(long sentNanos, @Nullable Throwable failure) {
        boolean wasBusy = inFlight + 1 >= (int) limit;
        inFlight--;
        if (failure instanceof StoreThrottledException) {
            // Requests that were in flight together cause one decrease.
            if (sentNanos - decreasedNanos >= 0) {
                limit = Math.max(1, limit * DECREASE);
                decreasedNanos = time.nanos();
            }
        } else if (failure == null && wasBusy) {
            limit = Math.min(most, limit + 1 / limit);
        }
    }

    /**
     * Sends waiting requests up to the limit. This is a loop because a request may end while it is
     * being sent, and recursion could overflow the stack.
     */
    private void drain() {
        while (true) {
            Place<?> next;
            synchronized (this) {
                if (isDraining) {
                    return; // The draining thread checks again.
                }
                next = inFlight < (int) limit ? queue.poll() : null;
                if (next == null) {
                    return;
                }
                inFlight++;
                isDraining = true;
            }
            try {
                next.send();
            } finally {
                next.call.content().release();
                synchronized (this) {
                    isDraining = false;
                }
            }
        }
    }

    synchronized long inFlight() {
        return inFlight;
    }

    synchronized long waiting() {
        return queue.size();
    }

    /** Fails the waiting requests. */
    void close() {
        List<Place<?>> left;
        synchronized (this) {
            isClosed = true;
            left = new ArrayList<>(queue);
            queue.clear();
        }
        for (Place<?> place : left) {
            place.fail();
            place.call.content().release();
        }
    }
}
