package dev.blobshuffle.peer.internal.settings;

import java.time.Duration;

/**
 * The time limits of a request to another member. Only the member itself can extend the wait, by
 * proven signs of life, and never beyond the limit of the whole request.
 *
 * @param silence the longest time to the first sign of life, and between two of them
 * @param request the longest time from the request to the last byte of its answer, including the
 *     wait for a connection
 */
public record Patience(Duration silence, Duration request) {
    /**
     * The silence is far longer than the garbage collector's pauses of a live member. The whole
     * request may take as long as a read of a slow store with its retries.
     */
    public static final Patience USUAL = new Patience(Duration.ofMillis(500), Duration.ofSeconds(30));

    /** Checks the limits. */
    public Patience {
        if (silence.isNegative() || silence.isZero() || request.isNegative() || request.isZero()) {
            throw new IllegalArgumentException("Cannot wait for answers: " + silence + " of silence, " + request
                    + " for a request. Give more of each.");
        }
    }

    /** A copy with another limit of silence. */
    public Patience withSilence(Duration longest) {
        return new Patience(longest, request);
    }
}
