package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.failure.StoreUnavailableException;

/** A request timed out. The answer may still arrive; a caller can claim it. */
final class NoAnswerException extends StoreUnavailableException {
    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // Never serialized.
    private final transient LateAnswer<?> late;

    NoAnswerException(String message, LateAnswer<?> late) {
        super(message);
        this.late = late;
    }

    LateAnswer<?> late() {
        return late;
    }
}
