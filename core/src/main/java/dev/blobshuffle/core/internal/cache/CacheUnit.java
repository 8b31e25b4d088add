package dev.blobshuffle.core.internal.cache;

/** What a cache loads from the store at once. */
public enum CacheUnit {
    /**
     * The whole section of a range that is asked for: one request for all partitions of the zone.
     */
    SECTION,
    /** The range itself. */
    SEGMENT
}
