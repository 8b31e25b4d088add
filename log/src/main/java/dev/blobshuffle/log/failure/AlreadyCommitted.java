package dev.blobshuffle.log.failure;

import org.jspecify.annotations.Nullable;

/**
 * The log already holds a transaction: its first commit succeeded, but the answer was lost. Roll
 * back the repeated transaction, and continue.
 */
public final class AlreadyCommitted extends LogFailure {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public AlreadyCommitted(String message) {
        super(message, null);
    }

    /** A failure with its message and its cause. */
    public AlreadyCommitted(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
