package dev.blobshuffle.core.resilience;

import dev.blobshuffle.core.failure.StoreUnavailable;

/** A request that had no answer in its time. The answer may still come, and is welcome to whoever claims it. */
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
