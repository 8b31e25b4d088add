package dev.blobshuffle.kstreams.keyparallel.calls;

/**
 * What a function throws when its service asks for fewer calls, as by status 429 or 503: the call
 * has failed, and an adaptive concurrency falls.
 */
public final class ServiceOverloaded extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A failure with what the service said. */
    public ServiceOverloaded(String message) {
        super(message);
    }
}
