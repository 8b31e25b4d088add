package dev.blobshuffle.http;

import java.util.Optional;

/** What one provider's answers and exceptions mean where providers differ. Thread-safe. */
public interface HttpDialect {
    /** Whether an answer other than HTTP 429 means too many requests. */
    boolean isThrottled(HttpAnswer answer);

    /** Whether HTTP 400 means that the bytes are not those that were sent. */
    boolean isChanged(HttpAnswer answer);

    /** What to do about an answer that stays the same until somebody acts; empty: the next one may differ. */
    Optional<String> remedy(HttpAnswer answer);

    /** How to get along with fewer requests, or be allowed more. */
    String throttledRemedy();

    /** What to check if the host has no address. */
    String hostRemedy();

    /**
     * Why, and what to do, if an exception of the provider's client means that it had no credentials or that they were refused; else empty.
     *
     * @param cause one exception, whose own causes are asked about later
     */
    Optional<String> refusedCredentials(Throwable cause);
}
