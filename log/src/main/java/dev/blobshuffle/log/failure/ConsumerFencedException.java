package dev.blobshuffle.log.failure;

import org.jspecify.annotations.Nullable;

/**
 * A member of a consumer group has lost partitions whose positions it tried to commit. Nothing of
 * the failed commit is in the log. Roll back, and poll: the group has assigned the partitions to
 * other members.
 */
public final class ConsumerFencedException extends LogException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public ConsumerFencedException(String message) {
        super(message, null);
    }

    /** A failure with its message and its cause. */
    public ConsumerFencedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
