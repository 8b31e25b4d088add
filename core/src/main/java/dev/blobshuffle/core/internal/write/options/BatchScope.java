package dev.blobshuffle.core.internal.write.options;

/** Who shares a batch. */
public enum BatchScope {
    /** All lanes of an instance: the fewest blobs. */
    INSTANCE,
    /** Nobody: each lane (stream thread) has its own. */
    LANE
}
