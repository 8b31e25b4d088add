package dev.blobshuffle.core.internal.cache;

/** A member answered a request with an HTTP error status instead of a page. */
public class PeerRefusedException extends RuntimeException {
    /** The member is overloaded. */
    public static final int BUSY = 503;

    private static final long serialVersionUID = 1L;

    private final int status;

    /** A refusal with its message: "Cannot verb what: reason, values. Remedy." */
    public PeerRefusedException(int status, String message) {
        super(message);
        this.status = status;
    }

    /** The HTTP status. */
    public final int status() {
        return status;
    }
}
