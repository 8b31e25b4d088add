package dev.blobshuffle.log.failure;

import org.jspecify.annotations.Nullable;

/**
 * A transaction is in the log already: its first commit succeeded, but the answer was lost. Roll
 * back what was repeated, and go on.
 */
public final class AlreadyCommitted extends LogFailure {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public AlreadyCommitted(String message) {
        super(message, null);
    }

    /** A failure with its message and the failure that led to it. */
    public AlreadyCommitted(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
