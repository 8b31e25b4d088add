package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.core.failure.WaitInterruptedException;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Waits for a log's answers, in real or virtual time. */
public final class Answers {
    private Answers() {}

    /**
     * The value of a stage, or its failure.
     *
     * @param time of the waiting thread
     */
    public static <T> T await(Time time, CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        Signal signal = time.signal();
        CompletableFuture<T> signalled = future.whenComplete((value, failure) -> signal.raise());
        while (!signalled.isDone()) {
            long seen = signal.count();
            if (signalled.isDone()) {
                break;
            }
            try {
                boolean ignored = signal.await(seen, time.nanos() + Long.MAX_VALUE / 4);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new WaitInterruptedException(
                        "Cannot wait for the log: the thread was interrupted. Roll back.", e);
            }
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }
}
