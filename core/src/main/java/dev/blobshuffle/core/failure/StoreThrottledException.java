package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * The store refused a request because it receives too many (HTTP 503 SlowDown, or 429). Send fewer
 * requests. This is separate from other unavailability, because retries and hedges make it worse.
 */
public final class StoreThrottledException extends StoreUnavailableException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public StoreThrottledException(String message) {
        super(message, null);
    }

    /** A failure with its message and the failure that led to it. */
    public StoreThrottledException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
