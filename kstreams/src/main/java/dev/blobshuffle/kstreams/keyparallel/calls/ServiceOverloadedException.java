package dev.blobshuffle.kstreams.keyparallel.calls;

/**
 * Thrown by a function whose service asks for fewer calls, for example with status 429 or 503. The
 * call has failed, and an adaptive concurrency falls.
 */
public final class ServiceOverloadedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A failure with the service's message. */
    public ServiceOverloadedException(String message) {
        super(message);
    }
}
