package dev.blobshuffle.log.internal;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.WaitInterruptedException;
import dev.blobshuffle.core.internal.settings.InstalledProviders;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.LogUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** Opens commit logs by URI, and waits for their answers. */
public final class CommitLogs {
    /** The artifacts of known schemes, for the message if one is not on the class path. */
    private static final Map<String, String> ARTIFACTS = Map.of("postgresql", "dev.blobshuffle:blobshuffle-postgresql");

    private CommitLogs() {}

    /**
     * Opens the log that a URI names. Blocks.
     *
     * @param applicationName names this instance to the log's database
     * @throws InvalidSettingsException fatal: the URI is wrong, or the artifact of its scheme is
     *     missing
     * @throws LogUnavailableException recoverable: the log does not answer now
     */
    public static CommitLog open(String uri, String applicationName, Time time) {
        int end = uri.indexOf("://");
        if (end < 1) {
            throw new InvalidSettingsException(
                    "Cannot open the commit log: its URI has no scheme. Give one such as postgresql://host/database.");
        }
        String scheme = uri.substring(0, end);
        List<String> known = new ArrayList<>();
        for (CommitLogProvider provider : InstalledProviders.of(CommitLogProvider.class)) {
            if (provider.scheme().equals(scheme)) {
                return provider.open(uri, applicationName, time);
            }
            known.add(provider.scheme() + "://");
        }
        String artifact = ARTIFACTS.get(scheme);
        throw new InvalidSettingsException("Cannot open the commit log " + scheme + "://: "
                + (artifact == null
                        ? "nothing on the class path knows this scheme. Use one of " + String.join(", ", known) + "."
                        : InstalledProviders.missing(CommitLogProvider.class, artifact)));
    }

    /**
     * The answer of a log. Blocks.
     *
     * @param what completes "Cannot …", such as {@code find topic orders}
     * @throws LogUnavailableException recoverable: no answer in time
     * @throws WaitInterruptedException recoverable: the thread was interrupted
     * @throws BlobShuffleException the failure of the stage
     * @throws IllegalStateException the failure of the stage, or any other failure
     */
    public static <T> T await(CompletionStage<T> stage, Duration longest, String what, Time time) {
        Signal signal = time.signal();
        CompletableFuture<T> result = new CompletableFuture<>();
        long seen = signal.count();
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
            signal.raise();
        });
        try {
            if (!signal.await(seen, time.nanos() + longest.toNanos()) && !result.isDone()) {
                throw new LogUnavailableException("Cannot " + what + ": the commit log has not answered for "
                        + longest.toMillis() + " ms. Check its database and the network.");
            }
            return result.get();
        } catch (ExecutionException e) {
            throw unwrapped(e, what);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaitInterruptedException("Cannot " + what + ": the thread was interrupted. Try again.", e);
        }
    }

    private static RuntimeException unwrapped(ExecutionException failure, String what) {
        Throwable cause = failure;
        while ((cause instanceof ExecutionException || cause instanceof CompletionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof BlobShuffleException
                || cause instanceof IllegalStateException
                || cause instanceof IllegalArgumentException) {
            return (RuntimeException) cause;
        }
        return new IllegalStateException("Cannot " + what + ": " + cause + ". Report it.", cause);
    }
}
