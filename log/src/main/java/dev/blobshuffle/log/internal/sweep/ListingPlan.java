package dev.blobshuffle.log.internal.sweep;

import dev.blobshuffle.core.store.BlobId;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Chooses the generations to list for orphans. An upload whose writer crashed may arrive long after
 * its minute. So a generation is listed repeatedly, each time at twice its age, and for the last
 * time when the longest life of an upload is over.
 *
 * <pre>
 *   end of the minute ── young ──▶ first ── age × 2 ──▶ again ── … ── end + life ──▶ last listing
 * </pre>
 *
 * <p>The log remembers the last listing of each generation. When all generations up to one have had
 * their last listing, it remembers only that one (the mark). Generations must be listed in order,
 * and an unfinished generation stops the pass; otherwise the mark would skip it.
 *
 * <p>Owned by one thread.
 */
final class ListingPlan {
    private final NavigableMap<Long, Instant> listed;
    private final Duration life;

    /**
     * @param listed the times at which generations were last listed
     * @param life of an upload
     */
    ListingPlan(Map<Long, Instant> listed, Duration life) {
        this.listed = new TreeMap<>(listed);
        this.life = life;
    }

    /** Whether to list a generation now. */
    boolean isDue(long generation, Instant now) {
        if (mark().filter(mark -> generation <= mark).isPresent()) {
            return false;
        }
        Instant last = listed.get(generation);
        if (last == null) {
            return true;
        }
        if (isFinal(generation, last)) {
            return false;
        }
        Instant end = end(generation);
        Duration age = Duration.between(end, last);
        Instant next = end.plus(age.multipliedBy(2));
        Instant lifeEnd = end.plus(life);
        return !now.isBefore(next.isBefore(lifeEnd) ? next : lifeEnd);
    }

    /**
     * Whether a listing may be recorded. A listing that began while uploads were alive must not
     * count as the last one, which it would if it were recorded now.
     */
    boolean isMemorable(long generation, Instant began, Instant now) {
        Instant lifeEnd = end(generation).plus(life);
        return !began.isBefore(lifeEnd) || now.plus(Duration.ofMinutes(1)).isBefore(lifeEnd);
    }

    /** Records that a generation was listed. */
    void listed(long generation, Instant now) {
        listed.put(generation, now);
    }

    /** Generations below the mark, which need not be remembered any more. */
    Set<Long> forgettable() {
        return mark().map(mark ->
                        (Set<Long>) new TreeSet<>(listed.headMap(mark, false).keySet()))
                .orElse(Set.of());
    }

    /** Drops generations that the log has removed. */
    void forgot(Set<Long> generations) {
        listed.keySet().removeAll(generations);
    }

    /** The generation up to which all have had their last listing. */
    private Optional<Long> mark() {
        Optional<Long> mark = Optional.empty();
        for (Map.Entry<Long, Instant> one : listed.entrySet()) {
            if (!isFinal(one.getKey(), one.getValue())) {
                return mark;
            }
            mark = Optional.of(one.getKey());
        }
        return mark;
    }

    private boolean isFinal(long generation, Instant last) {
        return !last.isBefore(end(generation).plus(life));
    }

    private static Instant end(long generation) {
        return Instant.ofEpochMilli((generation + 1) * BlobId.MILLIS_PER_GENERATION);
    }
}
