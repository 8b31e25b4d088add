package dev.blobshuffle.core.internal.retention;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The blobs that a sweep may delete: all of a store, or only those with records of certain topics.
 * Applications may share a store, and each sweeps its own blobs. Owned by one thread.
 */
public final class SweepScope {
    /**
     * How many foreign writers are remembered. Beyond this number, every sweep reads the footers of
     * foreign blobs again.
     */
    private static final int REMEMBERED = 10_000;

    private final Predicate<String> covers;
    private final boolean isEverything;
    private final Set<String> deletedTopics;
    private final Set<Long> foreignWriters = new HashSet<>();

    private SweepScope(Predicate<String> covers, boolean isEverything, Set<String> deletedTopics) {
        this.covers = covers;
        this.isEverything = isEverything;
        this.deletedTopics = Set.copyOf(deletedTopics);
    }

    /**
     * All blobs of a store.
     *
     * @param deletedTopics topics that were deleted for good, so they hold no notifications
     */
    public static SweepScope everything(Set<String> deletedTopics) {
        return new SweepScope(topic -> true, true, deletedTopics);
    }

    /** The blobs whose records all belong to topics that match the predicate. */
    public static SweepScope of(Predicate<String> topics) {
        return new SweepScope(topics, false, Set.of());
    }

    boolean isEverything() {
        return isEverything;
    }

    boolean covers(String topic) {
        return covers.test(topic);
    }

    boolean isDeleted(String topic) {
        return deletedTopics.contains(topic);
    }

    /**
     * Whether an earlier blob of this writer was foreign. An instance writes for one application,
     * so its other blobs are foreign as well. At worst, blobs are kept too long.
     */
    boolean isForeign(long writer) {
        return foreignWriters.contains(writer);
    }

    void foreign(long writer) {
        if (foreignWriters.size() < REMEMBERED) {
            foreignWriters.add(writer);
        }
    }
}
