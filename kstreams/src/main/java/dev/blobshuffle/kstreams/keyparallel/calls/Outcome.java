package dev.blobshuffle.kstreams.keyparallel.calls;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of the call for one record. Immutable.
 *
 * @param value the result; absent after a failure, and if the function returned null
 * @param failure the cause of a failure
 */
public record Outcome<O>(@Nullable O value, @Nullable Throwable failure) {
    /** The outcome of a successful call. */
    public static <O> Outcome<O> of(@Nullable O value) {
        return new Outcome<>(value, null);
    }

    /** The outcome of a failed call, which is retried or ends as the options define. */
    public static <O> Outcome<O> failed(Throwable failure) {
        return new Outcome<>(null, failure);
    }

    /** Without the value, which is the user's data. */
    @Override
    public String toString() {
        return failure == null ? "done" : "failed: " + failure.getClass().getName();
    }
}
