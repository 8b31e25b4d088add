package dev.blobshuffle.flight.internal.blob;

/** The daemon does not do what a client asks, and the client can correct it: see the reason. */
public final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What the client must do. */
    public enum Reason {
        /** Correct the request. */
        INVALID,
        /** Present a token, or a ticket that is valid. */
        UNAUTHENTICATED,
        /** Ask for something in its own namespace. */
        FORBIDDEN,
        /** Name something that exists. */
        UNKNOWN,
        /** Wait, or run the maps that are missing. */
        INCOMPLETE,
        /** Ask for less, or make room. */
        EXHAUSTED,
        /** Ask again later. */
        BUSY
    }

    private final Reason reason;

    /** A refusal. */
    public Refused(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }
}
