package dev.blobshuffle.log.failure;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a commit was lost, or the commit is not replicated yet, so it may have happened.
 * Find out whether it did before you repeat its effects.
 */
public final class OutcomeUnknownException extends LogException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public OutcomeUnknownException(String message) {
        super(message, null);
    }

    /** A failure with its message and its cause. */
    public OutcomeUnknownException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
