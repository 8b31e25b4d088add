package dev.blobshuffle.bench.cloud;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Admits writes until it is closed. Its close waits for running writes. Thread-safe. */
final class WriteGate {
    private static final long PATIENCE_SECONDS = 60;

    private final CompletableFuture<Boolean> isIdle = new CompletableFuture<>();
    private int running; // guarded by this
    private boolean isClosed; // guarded by this

    /**
     * Begins a write, which must {@link #leave}.
     *
     * @throws ClosedException fatal: the gate is closed
     */
    synchronized void enter() {
        if (isClosed) {
            throw new ClosedException(
                    "Cannot write to the store of a check: it is being deleted. Run the check again.");
        }
        running++;
    }

    synchronized void leave() {
        running--;
        if (isClosed && running == 0) {
            isIdle.complete(true);
        }
    }

    /**
     * Refuses further writes and waits for running ones. Idempotent.
     *
     * @throws StoreUnavailableException recoverable: a write does not end
     */
    void close() {
        synchronized (this) {
            isClosed = true;
            if (running == 0) {
                isIdle.complete(true);
            }
        }
        try {
            boolean ignored = isIdle.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new StoreUnavailableException(
                    "Cannot end the check: a write has had no answer for " + PATIENCE_SECONDS
                            + " s. Check the network to the store.",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("Cannot end the check: the thread was interrupted. Run it again.", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
