package dev.blobshuffle.log.failure;

import org.jspecify.annotations.Nullable;

/**
 * A publisher of the same name was opened elsewhere, so this one may publish nothing more. Nothing
 * of the failed commit is in the log. Close it.
 */
public final class WriterFencedException extends LogException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public WriterFencedException(String message) {
        super(message, null);
    }

    /** A failure with its message and its cause. */
    public WriterFencedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
