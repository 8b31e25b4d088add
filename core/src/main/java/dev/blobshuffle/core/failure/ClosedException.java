package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/** The component was closed before or during the call. */
public final class ClosedException extends BlobShuffleException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public ClosedException(String message) {
        super(message, null);
    }

    /** A failure with its message and the failure that led to it. */
    public ClosedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
