package dev.blobshuffle.http.internal;

import java.util.Optional;

/** The meaning of one provider's answers and exceptions, where providers differ. Thread-safe. */
public interface HttpDialect {
    /** Whether an answer other than HTTP 429 means too many requests. */
    boolean isThrottled(HttpAnswer answer);

    /** Whether HTTP 400 means that the store received bytes other than those sent. */
    boolean isChanged(HttpAnswer answer);

    /** The remedy for an answer that recurs until an operator acts; empty: a retry may succeed. */
    Optional<String> remedy(HttpAnswer answer);

    /** The remedy for throttling: how to send fewer requests, or get a higher limit. */
    String throttledRemedy();

    /** The remedy if the host name does not resolve. */
    String hostRemedy();

    /**
     * The reason and the remedy, if an exception of the provider's client means missing or refused
     * credentials; else empty.
     *
     * @param cause one exception; its causes are passed in separate calls
     */
    Optional<String> refusedCredentials(Throwable cause);
}
