package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * The memory budget stayed full for as long as an append may wait. Retry later or raise the budget.
 */
public final class MemoryExhaustedException extends BlobShuffleException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public MemoryExhaustedException(String message) {
        super(message, null);
    }

    /** A failure with its message and the failure that led to it. */
    public MemoryExhaustedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
