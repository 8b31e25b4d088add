package dev.blobshuffle.core.store;

import java.util.concurrent.CompletionStage;

/**
 * A request that its caller may abandon. An abandoned request is not sent again, and its stage
 * fails as soon as no attempt is in flight. The caller may then reuse the memory that it reserved
 * for the answer. Bytes that still arrive are released. Decorators that wait, repeat or share
 * requests return stages that implement this interface. Do not cancel a plain stage: no code would
 * release its bytes. Thread-safe.
 */
public interface Abandonable {
    /** Abandons the request. Has no effect if it has ended. */
    void abandon();

    /** Abandons the request behind a stage, if the stage supports it. */
    static void abandon(CompletionStage<?> stage) {
        if (stage instanceof Abandonable request) {
            request.abandon();
        }
    }
}
