package dev.blobshuffle.log.failure;

import org.jspecify.annotations.Nullable;

/**
 * The log already holds a transaction: its first commit succeeded, but the answer was lost. Roll
 * back the repeated transaction, and continue.
 */
public final class AlreadyCommittedException extends LogException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public AlreadyCommittedException(String message) {
        super(message, null);
    }

    /** A failure with its message and its cause. */
    public AlreadyCommittedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
