package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.failure.StoreUnavailableException;

/**
 * A request was not sent, in order to protect the store. The failure costs nothing and says nothing
 * about the store.
 */
final class NotSentException extends StoreUnavailableException {
    private static final long serialVersionUID = 1L;

    /** The reason why the request was not sent. */
    enum Reason {
        /** The store has failed recently, and has not recovered. */
        STORE_IS_DOWN,
        /** Too many requests wait for their turn. */
        QUEUE_IS_FULL
    }

    private final Reason reason;

    NotSentException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    Reason reason() {
        return reason;
    }
}
