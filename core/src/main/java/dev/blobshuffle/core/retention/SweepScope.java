package dev.blobshuffle.core.retention;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Whose blobs a sweep may delete: all of a store, or those that hold records of some topics only. Other applications may share a store, and each sweeps what is its own. Owned by one thread.
 */
public final class SweepScope {
    /** Beyond that many, the footers of other applications' blobs are read at every sweep. */
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
     * @param deletedTopics topics that are known to be deleted for good: they lead to nothing
     */
    public static SweepScope everything(Set<String> deletedTopics) {
        return new SweepScope(topic -> true, true, deletedTopics);
    }

    /** Blobs all of whose records are of topics that the predicate holds for. */
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

    /** Whether a blob of a writer was found to be somebody else's: an instance writes for one application, so the others are too, or are kept at the worst. */
    boolean isForeign(long writer) {
        return foreignWriters.contains(writer);
    }

    void foreign(long writer) {
        if (foreignWriters.size() < REMEMBERED) {
            foreignWriters.add(writer);
        }
    }
}
