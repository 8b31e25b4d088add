package dev.blobshuffle.s3sim;

import java.time.Duration;
import java.util.Optional;

/**
 * What goes wrong with one request to {@link S3Sim}.
 *
 * @param duration of {@link Kind#DELAY}: how late the answer is; of stalls: how long the connection
 *     hangs before it is reset; of others: not used
 * @param error what {@link Kind#ERROR} and {@link Kind#ERROR_AFTER} answer; others have none
 */
public record WireFault(Kind kind, Duration duration, Optional<S3Error> error) {
    /** Nothing goes wrong. */
    public static final WireFault NONE = new WireFault(Kind.DELAY, Duration.ZERO, Optional.empty());

    /** Checks that errors, and only they, have an error. */
    public WireFault {
        boolean needsError = kind == Kind.ERROR || kind == Kind.ERROR_AFTER;
        if (needsError != error.isPresent()) {
            throw new IllegalArgumentException("Cannot make a fault of kind " + kind + ": it needs "
                    + (needsError ? "an error" : "no error") + ". Use the methods that make faults.");
        }
    }

    /** A fault that lasts no time and answers no error. */
    public static WireFault of(Kind kind) {
        return new WireFault(kind, Duration.ZERO, Optional.empty());
    }

    /** An error, and no effect. */
    public static WireFault error(S3Error error) {
        return new WireFault(Kind.ERROR, Duration.ZERO, Optional.of(error));
    }

    /** An error, although the request has had its effect. */
    public static WireFault errorAfter(S3Error error) {
        return new WireFault(Kind.ERROR_AFTER, Duration.ZERO, Optional.of(error));
    }

    /** A late answer. */
    public static WireFault delay(Duration duration) {
        return new WireFault(Kind.DELAY, duration, Optional.empty());
    }

    /**
     * A connection that hangs.
     *
     * @param kind one of the stalls
     * @param duration how long until it is reset
     */
    public static WireFault stall(Kind kind, Duration duration) {
        return new WireFault(kind, duration, Optional.empty());
    }

    /** What can happen. */
    public enum Kind {
        /** The answer is only late. */
        DELAY,
        /** An error, and no effect. */
        ERROR,
        /** An error, although the request has had its effect. */
        ERROR_AFTER,
        /** The connection is reset when the request's head has been read: no effect. */
        RESET,
        /** The connection is reset instead of the answer; the request has had its effect. */
        RESET_AFTER,
        /**
         * The connection is reset in the middle of the answer's body; the request has had its
         * effect.
         */
        RESET_MIDWAY,
        /** The server reads no further than the request's head and does not answer: no effect. */
        STALL,
        /** The server does not answer, although the request has had its effect. */
        STALL_AFTER,
        /** The answer stops in the middle of its body. */
        STALL_MIDWAY,
        /** The answer's body ends early, and so does the connection, in order. */
        TRUNCATE,
        /** One bit of the answer's body is wrong. */
        FLIP,
        /** Every second key of a multi-delete is throttled and stays; other requests are well. */
        SOME_KEYS_THROTTLED
    }
}
