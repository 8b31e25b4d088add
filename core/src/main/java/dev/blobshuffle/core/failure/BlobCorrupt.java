package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/** Bytes of a blob or notification differ from the written ones. Stop; never skip. */
public final class BlobCorrupt extends BlobShuffleException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public BlobCorrupt(String message) {
        super(message, null);
    }

    /** A failure with its message and the failure that led to it. */
    public BlobCorrupt(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
