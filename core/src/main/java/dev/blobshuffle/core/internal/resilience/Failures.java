package dev.blobshuffle.core.internal.resilience;

import java.util.concurrent.CompletionException;

/** Unwraps failures from the exceptions that stages add. Stateless. */
final class Failures {
    private Failures() {}

    static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
