package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/** Work did not become durable within its deadline. Roll back to the last commit. */
public final class DeadlineExceededException extends BlobShuffleException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public DeadlineExceededException(String message) {
        super(message, null);
    }

    /** A failure with its message and the failure that led to it. */
    public DeadlineExceededException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
