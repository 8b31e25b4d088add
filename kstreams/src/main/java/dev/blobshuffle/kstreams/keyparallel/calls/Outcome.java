package dev.blobshuffle.kstreams.keyparallel.calls;

import org.jspecify.annotations.Nullable;

/**
 * How the call for one record ended. Immutable.
 *
 * @param value what it gave; absent after a failure, and where the function gave null
 * @param failure why it gave nothing
 */
public record Outcome<O>(@Nullable O value, @Nullable Throwable failure) {
    /** A call that went well. */
    public static <O> Outcome<O> of(@Nullable O value) {
        return new Outcome<>(value, null);
    }

    /** A call that failed: it is repeated, or ends, as the options say. */
    public static <O> Outcome<O> failed(Throwable failure) {
        return new Outcome<>(null, failure);
    }

    /** Values are the user's. */
    @Override
    public String toString() {
        return failure == null ? "done" : "failed: " + failure.getClass().getName();
    }
}
