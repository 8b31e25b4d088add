package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.failure.StoreUnavailable;

/** A request timed out. The answer may still arrive; a caller can claim it. */
final class NoAnswer extends StoreUnavailable {
    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // Never serialized.
    private final transient LateAnswer<?> late;

    NoAnswer(String message, LateAnswer<?> late) {
        super(message);
        this.late = late;
    }

    LateAnswer<?> late() {
        return late;
    }
}
