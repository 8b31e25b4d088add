package dev.blobshuffle.core.internal.write.seal;

import dev.blobshuffle.core.internal.metrics.Counter;

/** The reason for which a batch is sealed. */
public enum SealReason {
    /** A zone's section is full. */
    SIZE(Counter.BATCHES_SEALED_SIZE),
    /** The delay since the first record is over. */
    DELAY(Counter.BATCHES_SEALED_DELAY),
    /** A lane flushes (commits). */
    FLUSH(Counter.BATCHES_SEALED_FLUSH),
    /** The write budget is full. */
    MEMORY(Counter.BATCHES_SEALED_MEMORY);

    private final Counter counter;

    SealReason(Counter counter) {
        this.counter = counter;
    }

    Counter counter() {
        return counter;
    }
}
