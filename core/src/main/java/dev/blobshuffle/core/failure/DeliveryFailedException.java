package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * The engine's channel refused or lost a notification or a record. Roll back to the last commit.
 * The cause is the failure that the channel reported.
 */
public final class DeliveryFailedException extends BlobShuffleException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public DeliveryFailedException(String message) {
        super(message, null);
    }

    /** A failure with its message and the failure that led to it. */
    public DeliveryFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
