package dev.blobshuffle.s3sim;

import java.time.Duration;
import java.util.Optional;

/**
 * The fault of one request to {@link S3Sim}.
 *
 * @param duration for {@link Kind#DELAY}: the delay of the answer; for stalls: the time until the
 *     connection is reset; for others: unused
 * @param error the answer of {@link Kind#ERROR} and {@link Kind#ERROR_AFTER}; empty for others
 */
public record WireFault(Kind kind, Duration duration, Optional<S3Error> error) {
    /** No fault. */
    public static final WireFault NONE = new WireFault(Kind.DELAY, Duration.ZERO, Optional.empty());

    /** Checks that exactly the error kinds have an error. */
    public WireFault {
        boolean needsError = kind == Kind.ERROR || kind == Kind.ERROR_AFTER;
        if (needsError != error.isPresent()) {
            throw new IllegalArgumentException("Cannot make a fault of kind " + kind + ": it needs "
                    + (needsError ? "an error" : "no error") + ". Use the methods that make faults.");
        }
    }

    /** A fault without a duration and an error. */
    public static WireFault of(Kind kind) {
        return new WireFault(kind, Duration.ZERO, Optional.empty());
    }

    /** An error without an effect of the request. */
    public static WireFault error(S3Error error) {
        return new WireFault(Kind.ERROR, Duration.ZERO, Optional.of(error));
    }

    /** An error after the effect of the request. */
    public static WireFault errorAfter(S3Error error) {
        return new WireFault(Kind.ERROR_AFTER, Duration.ZERO, Optional.of(error));
    }

    /** A delayed answer. */
    public static WireFault delay(Duration duration) {
        return new WireFault(Kind.DELAY, duration, Optional.empty());
    }

    /**
     * A stalled connection.
     *
     * @param kind one of the stalls
     * @param duration time until the reset
     */
    public static WireFault stall(Kind kind, Duration duration) {
        return new WireFault(kind, duration, Optional.empty());
    }

    /** The kinds of faults. */
    public enum Kind {
        /** The answer is delayed. */
        DELAY,
        /** An error without an effect of the request. */
        ERROR,
        /** An error after the effect of the request. */
        ERROR_AFTER,
        /** The connection is reset after the request's head, without an effect of the request. */
        RESET,
        /** The connection is reset instead of the answer, after the effect of the request. */
        RESET_AFTER,
        /**
         * The connection is reset in the middle of the answer's body, after the effect of the
         * request.
         */
        RESET_MIDWAY,
        /**
         * The server reads only the request's head and does not answer. The request has no effect.
         */
        STALL,
        /** The server does not answer, after the effect of the request. */
        STALL_AFTER,
        /** The answer stops in the middle of its body. */
        STALL_MIDWAY,
        /** The answer's body ends early, and the connection closes gracefully. */
        TRUNCATE,
        /** One bit of the answer's body is wrong. */
        FLIP,
        /**
         * Every second key of a multi-delete is throttled and stays. Other requests have no fault.
         */
        SOME_KEYS_THROTTLED
    }
}
