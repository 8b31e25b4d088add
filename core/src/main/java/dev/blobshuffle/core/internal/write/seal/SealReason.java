package dev.blobshuffle.core.internal.write.seal;

import dev.blobshuffle.core.internal.metrics.Counter;

/** Why a batch is sealed. */
public enum SealReason {
    /** A zone's section is full. */
    SIZE(Counter.BATCHES_SEALED_SIZE),
    /** The delay budget since the first record is spent. */
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
