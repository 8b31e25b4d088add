package dev.blobshuffle.peer.internal;

/**
 * When the answer to one request is given up. Signs of life move it, and never beyond the limit of
 * the whole request. Times are those of {@code Time.nanos()}. Owned by the connection's event loop.
 */
final class AnswerDeadline {
    private final Patience patience;
    private final long requested;
    private long lastSign;

    /**
     * The deadline of a request.
     *
     * @param requested when the request was made; it may have waited for a connection since
     * @param now when it is sent
     */
    AnswerDeadline(Patience patience, long requested, long now) {
        this.patience = patience;
        this.requested = requested;
        lastSign = now;
    }

    /** The member proved that it works on the answer, or sent bytes of a proven one. */
    void alive(long now) {
        lastSign = now;
    }

    /** Nanoseconds until the request is given up; 0 or less: now. */
    long left(long now) {
        return Math.min(leftOfRequest(now), patience.silence().toNanos() - (now - lastSign));
    }

    private long leftOfRequest(long now) {
        return patience.request().toNanos() - (now - requested);
    }

    /** Why the request is given up. */
    String reason(long now) {
        return leftOfRequest(now) <= 0
                ? "no whole answer within " + patience.request().toMillis() + " ms"
                : "no sign of life for " + patience.silence().toMillis() + " ms";
    }
}
