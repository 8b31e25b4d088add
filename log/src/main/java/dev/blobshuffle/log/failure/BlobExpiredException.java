package dev.blobshuffle.log.failure;

import org.jspecify.annotations.Nullable;

/**
 * A blob is too old to be published: it was stored longer ago than the log allows, so a sweeper
 * may have deleted it. Publish the records again. If it happens to every batch, check the clock of
 * the publisher.
 */
public final class BlobExpiredException extends LogException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public BlobExpiredException(String message) {
        super(message, null);
    }

    /** A failure with its message and its cause. */
    public BlobExpiredException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
