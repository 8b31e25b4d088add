package dev.blobshuffle.core.internal.retention;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The logs by which a sweep decides whether blobs are needed. A sweep first reads the logs of
 * expected topics, then those of all topics that the footers of the owner's blobs name. The
 * expectation never affects whether a blob may be deleted. Owned by one thread.
 */
public final class SweepScope {
    private final Predicate<String> expected;
    private final boolean isEverything;
    private final Set<String> deletedTopics;
    private final Set<String> named = new HashSet<>();

    private SweepScope(Predicate<String> expected, boolean isEverything, Set<String> deletedTopics) {
        this.expected = expected;
        this.isEverything = isEverything;
        this.deletedTopics = Set.copyOf(deletedTopics);
    }

    /**
     * A scope in which all logs of a cluster may matter.
     *
     * @param deletedTopics topics that were deleted for good, so they hold no notifications
     */
    public static SweepScope everything(Set<String> deletedTopics) {
        return new SweepScope(topic -> true, true, deletedTopics);
    }

    /** A scope in which the logs of some topics matter, as far as the application knows. */
    public static SweepScope of(Predicate<String> topics) {
        return new SweepScope(topics, false, Set.of());
    }

    boolean isEverything() {
        return isEverything;
    }

    /** Whether the logs of a topic matter, as far as known. */
    boolean covers(String topic) {
        return expected.test(topic) || named.contains(topic);
    }

    /** Adds topics that the footer of a blob names. */
    void named(Set<String> topics) {
        topics.stream().filter(topic -> !expected.test(topic)).forEach(named::add);
    }

    boolean isDeleted(String topic) {
        return deletedTopics.contains(topic);
    }
}
