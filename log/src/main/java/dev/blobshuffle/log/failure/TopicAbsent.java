package dev.blobshuffle.log.failure;

import org.jspecify.annotations.Nullable;

/**
 * No topic of this name exists, or it was deleted. Create it.
 */
public final class TopicAbsent extends LogFailure {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public TopicAbsent(String message) {
        super(message, null);
    }

    /** A failure with its message and its cause. */
    public TopicAbsent(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
