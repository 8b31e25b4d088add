package dev.blobshuffle.log.failure;

import org.jspecify.annotations.Nullable;

/**
 * The commit log lost commits that it had acknowledged: a standby that was behind became the
 * primary, or an old backup was restored. Stop, find out which of the two happened, and seek:
 * positions of this log may now refer to other records.
 */
public final class LogWentBackException extends LogException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public LogWentBackException(String message) {
        super(message, null);
    }

    /** A failure with its message and its cause. */
    public LogWentBackException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
