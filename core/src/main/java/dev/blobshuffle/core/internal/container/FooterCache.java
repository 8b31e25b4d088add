package dev.blobshuffle.core.internal.container;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * A cache of the most recently used footers, bounded in bytes. Thread-safe: guarded by its monitor.
 */
public final class FooterCache<K, F> {
    private final long budget;
    private final ToLongFunction<F> weight;
    private final Map<K, F> footers = new LinkedHashMap<>(16, 0.75f, true);
    private long used;

    /**
     * An empty cache.
     *
     * @param budget the most bytes of all footers together
     * @param weight estimates the memory of a footer, bytes; always the same for the same footer
     */
    public FooterCache(long budget, ToLongFunction<F> weight) {
        this.budget = budget;
        this.weight = weight;
    }

    /** A footer, if it is cached. */
    public synchronized Optional<F> get(K key) {
        return Optional.ofNullable(footers.get(key));
    }

    /**
     * Adds a footer, and drops the least recently used ones. Ignores a footer that is larger than
     * the budget.
     */
    public synchronized void put(K key, F footer) {
        remove(key);
        long added = weight.applyAsLong(footer);
        if (added > budget) {
            return;
        }
        footers.put(key, footer);
        used += added;
        Iterator<F> oldest = footers.values().iterator();
        while (used > budget) {
            used -= weight.applyAsLong(oldest.next());
            oldest.remove();
        }
    }

    /** Drops a footer. */
    public synchronized void remove(K key) {
        F removed = footers.remove(key);
        used -= removed == null ? 0 : weight.applyAsLong(removed);
    }

    /** The estimated memory of all footers, bytes. */
    public synchronized long usedBytes() {
        return used;
    }
}
