package dev.blobshuffle.kstreams.keyparallel.calls;

/** A call has exceeded its time limit. It was interrupted, and its later answer is dropped. */
public final class CallTimedOutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With a message that names the limit. */
    public CallTimedOutException(String message) {
        super(message);
    }
}
