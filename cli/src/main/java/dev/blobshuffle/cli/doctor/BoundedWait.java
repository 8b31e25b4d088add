package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for answers with a time limit. Owned by one thread. */
final class BoundedWait implements AutoCloseable {
    private final Duration limit;
    private final Time.Workers workers;

    /**
     * Waits for each answer up to a limit.
     *
     * @param time source of threads for blocking calls: a call that never returns must not block
     *     the next
     */
    BoundedWait(Duration limit, Time time) {
        this.limit = limit;
        workers = time.workers("blobshuffle-doctor", 4);
    }

    /**
     * Runs a call that blocks.
     *
     * @throws BlobShuffleException if it fails, or takes too long
     */
    <T> T call(Callable<T> call) throws InterruptedException {
        CompletableFuture<T> answer = new CompletableFuture<>();
        workers.execute(() -> {
            try {
                answer.complete(call.call());
            } catch (Exception | Error e) {
                answer.completeExceptionally(e);
            }
        });
        return await(answer);
    }

    /**
     * Waits for a stage.
     *
     * @throws BlobShuffleException if it fails, or takes too long
     */
    <T> T await(CompletionStage<T> stage) throws InterruptedException {
        try {
            return stage.toCompletableFuture().get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new StoreUnavailableException(
                    "no answer for " + limit.toSeconds()
                            + " s. Check the address, and firewalls and proxies on the way.",
                    e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BlobShuffleException failure) {
                throw failure;
            }
            throw new StoreUnavailableException(
                    e.getCause() + ". Look up this failure of the client's library.", e.getCause());
        }
    }

    @Override
    public void close() {
        workers.close();
    }
}
