package dev.blobshuffle.core.internal.cache;

/** The unit that a cache loads from the store at once. */
public enum CacheUnit {
    /** The whole section around the requested range: one request for all partitions of the zone. */
    SECTION,
    /** The range itself. */
    SEGMENT
}
