package dev.blobshuffle.simulator.store;

import java.time.Duration;

/**
 * The fault of one request to a {@link FaultyBlobStore}.
 *
 * @param kind what happens
 * @param delay time before it happens
 */
public record StoreFault(Kind kind, Duration delay) {
    /** Nothing goes wrong. */
    public static final StoreFault NONE = new StoreFault(Kind.DELAY, Duration.ZERO);

    /** A fault at once. */
    public static StoreFault of(Kind kind) {
        return new StoreFault(kind, Duration.ZERO);
    }

    /** The kinds of faults of a request. */
    public enum Kind {
        /** The request is only late. */
        DELAY,
        /** {@code StoreUnavailableException}, and the request has had no effect. */
        FAIL_BEFORE,
        /** {@code StoreUnavailableException}, although the request has had its effect. */
        FAIL_AFTER,
        /** {@code StoreThrottledException}, and the request has had no effect. */
        THROTTLE,
        /** No answer until the store is closed; a put holds its content for as long. */
        HANG,
        /** A read returns too few bytes. Other requests are only late. */
        TRUNCATE,
        /** A read returns bytes of which one bit is wrong. Other requests are only late. */
        FLIP,
        /**
         * A read is answered with {@code BlobMissingException}, although the blob is there. Other
         * requests are only late.
         */
        MISSING
    }
}
