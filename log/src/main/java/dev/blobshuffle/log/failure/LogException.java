package dev.blobshuffle.log.failure;

import dev.blobshuffle.core.failure.BlobShuffleException;
import org.jspecify.annotations.Nullable;

/** The root of the failures of a commit log. The subclass defines the reaction of the caller. */
public abstract sealed class LogException extends BlobShuffleException
        permits AlreadyCommittedException,
                BlobExpiredException,
                ConsumerFencedException,
                LogUnavailableException,
                LogWentBackException,
                OutcomeUnknownException,
                PositionTrimmedException,
                TopicAbsentException,
                WriterFencedException {
    private static final long serialVersionUID = 1L;

    LogException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
