package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * The calling thread was interrupted while it waited. The thread's interrupt flag is set, and
 * nothing else has changed. Call again.
 */
public final class WaitInterruptedException extends BlobShuffleException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public WaitInterruptedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
