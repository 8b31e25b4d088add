package dev.blobshuffle.peer.internal.client;

import dev.blobshuffle.peer.internal.settings.Patience;

/**
 * The deadline of the answer to one request. Signs of life extend it, but never beyond the limit of
 * the whole request. Times are those of {@code Time.nanos()}. Owned by the connection's event loop.
 */
final class AnswerDeadline {
    private final Patience patience;
    private final long requested;
    private long lastSign;

    /**
     * The deadline of a request.
     *
     * @param requested time of the request, which may have waited for a connection since
     * @param now time at which it is sent
     */
    AnswerDeadline(Patience patience, long requested, long now) {
        this.patience = patience;
        this.requested = requested;
        lastSign = now;
    }

    /**
     * Extends the deadline: the member proved that it works on the answer, or sent bytes of a
     * proven answer.
     */
    void alive(long now) {
        lastSign = now;
    }

    /** Nanoseconds until the request is given up; 0 or less if the deadline has passed. */
    long left(long now) {
        return Math.min(leftOfRequest(now), patience.silence().toNanos() - (now - lastSign));
    }

    private long leftOfRequest(long now) {
        return patience.request().toNanos() - (now - requested);
    }

    /** The reason why the request is given up. */
    String reason(long now) {
        return leftOfRequest(now) <= 0
                ? "no whole answer within " + patience.request().toMillis() + " ms"
                : "no sign of life for " + patience.silence().toMillis() + " ms";
    }
}
