package dev.blobshuffle.kstreams.keyparallel.calls;

/** A call had not ended in its time; it was interrupted, and what it answers later is dropped. */
public final class CallTimedOut extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With a message that says which limit. */
    public CallTimedOut(String message) {
        super(message);
    }
}
