package dev.blobshuffle.core.internal.write.options;

/** Which lanes share a batch. */
public enum BatchScope {
    /** All lanes of an instance: the fewest blobs. */
    INSTANCE,
    /** None: each lane (stream thread) has its own batch. */
    LANE
}
