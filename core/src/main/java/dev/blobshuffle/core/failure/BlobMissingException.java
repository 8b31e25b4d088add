package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * A blob that a notification names is not in the store, and the store has confirmed that. The store
 * is the wrong one, or retention has deleted the blob. Stop; never skip.
 */
public final class BlobMissingException extends BlobShuffleException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public BlobMissingException(String message) {
        super(message, null);
    }

    /** A failure with its message and the failure that led to it. */
    public BlobMissingException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
