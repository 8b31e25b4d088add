package dev.blobshuffle.flightdaemon.internal.blob;

/** The daemon refuses a request that the client can correct: see the reason. */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The reason for a refusal. It says what the client must do. */
    public enum Reason {
        /** Correct the request. */
        INVALID,
        /** Present a token, or a valid ticket. */
        UNAUTHENTICATED,
        /** Request data of the client's own namespace. */
        FORBIDDEN,
        /** Name an existing resource. */
        UNKNOWN,
        /** Wait, or run the missing maps. */
        INCOMPLETE,
        /** Request less, or make room. */
        EXHAUSTED,
        /** Try again later. */
        BUSY
    }

    private final Reason reason;

    /** A refusal. */
    public RefusedException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** The reason. */
    public Reason reason() {
        return reason;
    }
}
