package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * The store refused a request because it gets too many (HTTP 503 SlowDown, or 429): ask less often. Kept apart from other unavailability, because sending it
 * again, or twice, makes it worse.
 */
public final class StoreThrottled extends StoreUnavailable {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public StoreThrottled(String message) {
        super(message, null);
    }

    /** A failure with its message and the failure that led to it. */
    public StoreThrottled(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
