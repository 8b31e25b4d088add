package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.log.internal.LogPosition;

/** Where reading of a partition begins, before the log has resolved it. */
sealed interface Start {
    /** At a position, if the log still has it. */
    record At(LogPosition position) implements Start {}

    /** At the first record after retention. */
    record Earliest() implements Start {}

    /** After the last record. */
    record Latest() implements Start {}

    /** As the reset policy says, because the group has no position. */
    record Unknown() implements Start {}
}
