package dev.blobshuffle.core.store;

import java.util.concurrent.CompletionStage;

/**
 * A request that its caller may give up. It is not sent (again), and its stage fails as soon as nothing of it is under way any more: so memory that the caller set
 * aside for the answer is free by then. Bytes that arrive after all are given back. Implemented by stages of decorators that wait, repeat or share; a plain stage must
 * not be cancelled, since nobody would give its bytes back. Thread-safe.
 */
public interface Abandonable {
    /** Gives the request up. Does nothing if it has ended. */
    void abandon();

    /** Gives up the request behind a stage, if it can be. */
    static void abandon(CompletionStage<?> stage) {
        if (stage instanceof Abandonable request) {
            request.abandon();
        }
    }
}
