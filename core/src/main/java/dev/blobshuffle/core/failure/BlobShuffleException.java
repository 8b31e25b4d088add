package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * The root of all failures that BlobShuffle reports. Its subclasses say what the caller must do.
 * Only the modules of BlobShuffle extend it.
 */
public abstract class BlobShuffleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message and the failure that led to it. */
    protected BlobShuffleException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
