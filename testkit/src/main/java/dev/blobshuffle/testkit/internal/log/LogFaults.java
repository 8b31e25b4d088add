package dev.blobshuffle.testkit.internal.log;

import java.time.Duration;

/**
 * Decides what goes wrong with the calls to a {@link MemoryDatabase}. Called while the database is
 * locked, so it must not call it.
 */
public interface LogFaults {
    /** Nothing goes wrong, and nothing takes time. */
    LogFaults NONE = new LogFaults() {};

    /** The fate of the next call of a kind. */
    default Fate next(LogCall call) {
        return Fate.SMOOTH;
    }

    /** Time for which the database stands still between two steps of a call. */
    default Duration stall(LogCall call) {
        return Duration.ZERO;
    }

    /** Whether the next hint is lost. */
    default boolean losesHint() {
        return false;
    }

    /**
     * The fate of a call.
     *
     * @param loss what of it is lost
     * @param request from the client to the database
     * @param answer from the database to the client
     */
    record Fate(Loss loss, Duration request, Duration answer) {
        /** At once, without a fault. */
        public static final Fate SMOOTH = new Fate(Loss.NOTHING, Duration.ZERO, Duration.ZERO);
    }

    /** The lost part of a call. */
    enum Loss {
        /** The call is answered. */
        NOTHING,
        /** No connection could be had: the client knows that nothing happened. */
        CONNECTION,
        /** The connection breaks after the client has sent its request, which never arrives. */
        REQUEST,
        /** The connection breaks after the call had its effect, before the answer. */
        ANSWER
    }
}
