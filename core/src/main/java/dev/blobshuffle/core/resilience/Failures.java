package dev.blobshuffle.core.resilience;

import java.util.concurrent.CompletionException;

/** What went wrong, without the wrapping of stages. Stateless. */
final class Failures {
    private Failures() {}

    static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
