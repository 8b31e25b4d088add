package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/** Bytes of a blob or notification differ from the written ones. Stop; never skip. */
public final class BlobCorruptException extends BlobShuffleException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public BlobCorruptException(String message) {
        super(message, null);
    }

    /** A failure with its message and the failure that led to it. */
    public BlobCorruptException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
