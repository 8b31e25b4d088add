package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * The store did not answer, or refused, but may succeed later. Retry, or roll back to the last
 * commit.
 */
public class StoreUnavailableException extends BlobShuffleException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public StoreUnavailableException(String message) {
        super(message, null);
    }

    /** A failure with its message and the failure that led to it. */
    public StoreUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
