package dev.blobshuffle.log.internal.sweep;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Waits for the answers of a log, and repeats a call a few times while the log is unavailable. Only
 * for calls that may be repeated, such as all calls of retention and claims. Owned by one thread.
 */
final class PatientLog {
    private static final int ATTEMPTS = 5;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);

    private final StopSignal stopSignal;

    PatientLog(StopSignal stopSignal) {
        this.stopSignal = stopSignal;
    }

    <T> T await(Supplier<CompletionStage<T>> call) throws InterruptedException {
        Duration pause = FIRST_PAUSE;
        for (int attempt = 1; ; attempt++) {
            stopSignal.check();
            try {
                return stopSignal.await(call.get());
            } catch (CompletionException e) {
                Throwable cause = e;
                while (cause instanceof CompletionException && cause.getCause() != null) {
                    cause = cause.getCause();
                }
                boolean isWorthIt =
                        cause instanceof LogUnavailableException || cause instanceof OutcomeUnknownException;
                if (!isWorthIt || attempt == ATTEMPTS) {
                    throw cause instanceof BlobShuffleException failure ? failure : e;
                }
            }
            stopSignal.rest(pause);
            pause = pause.multipliedBy(2);
        }
    }
}
