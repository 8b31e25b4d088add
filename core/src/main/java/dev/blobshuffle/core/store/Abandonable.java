package dev.blobshuffle.core.store;

import java.util.concurrent.CompletionStage;

/**
 * A request that its caller may give up. It is not sent again, and its stage fails as soon as no
 * attempt is in flight. From then on the caller may reuse the memory that it set aside for the
 * answer. Bytes that still arrive are released. Stages of decorators that wait, repeat or share
 * implement this. Do not cancel a plain stage: no code would release its bytes. Thread-safe.
 */
public interface Abandonable {
    /** Gives the request up. Has no effect if it has ended. */
    void abandon();

    /** Gives up the request behind a stage, if the stage supports it. */
    static void abandon(CompletionStage<?> stage) {
        if (stage instanceof Abandonable request) {
            request.abandon();
        }
    }
}
