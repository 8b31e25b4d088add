package dev.blobshuffle.log.failure;

import dev.blobshuffle.core.failure.BlobShuffleException;
import org.jspecify.annotations.Nullable;

/** The root of the failures of a commit log. The subclass defines the reaction of the caller. */
public abstract sealed class LogFailure extends BlobShuffleException
        permits AlreadyCommitted,
                BlobExpired,
                ConsumerFenced,
                LogUnavailable,
                LogWentBack,
                OutcomeUnknown,
                PositionTrimmed,
                TopicAbsent,
                WriterFenced {
    private static final long serialVersionUID = 1L;

    LogFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
