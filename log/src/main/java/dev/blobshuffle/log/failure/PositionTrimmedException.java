package dev.blobshuffle.log.failure;

import org.jspecify.annotations.Nullable;

/**
 * The records at a position are gone: retention has passed it. Seek, or set a reset policy.
 */
public final class PositionTrimmedException extends LogException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public PositionTrimmedException(String message) {
        super(message, null);
    }

    /** A failure with its message and its cause. */
    public PositionTrimmedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
