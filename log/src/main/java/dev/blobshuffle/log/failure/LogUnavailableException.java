package dev.blobshuffle.log.failure;

import org.jspecify.annotations.Nullable;

/**
 * The database of the commit log did not answer, or temporarily refused a request. Try again. If a
 * commit failed with this, it may have happened: repeat it with the same numbers.
 */
public final class LogUnavailableException extends LogException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public LogUnavailableException(String message) {
        super(message, null);
    }

    /** A failure with its message and its cause. */
    public LogUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
