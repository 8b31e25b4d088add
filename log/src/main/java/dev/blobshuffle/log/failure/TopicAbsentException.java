package dev.blobshuffle.log.failure;

import org.jspecify.annotations.Nullable;

/**
 * No topic of this name exists, or it was deleted. Create it.
 */
public final class TopicAbsentException extends LogException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public TopicAbsentException(String message) {
        super(message, null);
    }

    /** A failure with its message and its cause. */
    public TopicAbsentException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
