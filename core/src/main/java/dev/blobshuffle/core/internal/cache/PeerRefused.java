package dev.blobshuffle.core.internal.cache;

/** A member answers a request with a status of HTTP and no page. */
public class PeerRefused extends RuntimeException {
    /** The member is overloaded. */
    public static final int BUSY = 503;

    private static final long serialVersionUID = 1L;

    private final int status;

    /** A refusal with its message: "Cannot verb what: reason, values. Remedy." */
    public PeerRefused(int status, String message) {
        super(message);
        this.status = status;
    }

    /** The status of HTTP. */
    public final int status() {
        return status;
    }
}
