package dev.blobshuffle.core.internal.cache;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a cache, bounded in bytes. It evicts the least recently used entries, but never
 * one on lease. Callers reserve room before they fetch bytes, so the total of entries,
 * reservations, and forgotten entries still on lease never exceeds the capacity. Thread-safe.
 *
 * @param <V> the value of an entry
 */
final class LeasedEntries<V> {
    private final long capacity;
    private final Consumer<V> whenGone;
    private final IntConsumer whenEvicted;

    /** The entries in the order of last use. Guarded by this, like the fields below. */
    private final Map<CachedPart, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    /** Bytes of everything: entries, reservations, forgotten entries on lease. */
    private long used;

    /** The used bytes that no eviction can free. */
    private long pinned;

    private boolean isClosed;

    /**
     * An empty cache.
     *
     * @param capacity most bytes, 1 or more
     * @param whenGone receives the value of each removed entry once no lease is left; called
     *     without a lock, by any thread
     * @param whenEvicted receives the number of evicted entries; called without a lock, by any
     *     thread
     */
    LeasedEntries(long capacity, Consumer<V> whenGone, IntConsumer whenEvicted) {
        if (capacity < 1) {
            throw new IllegalArgumentException("Cannot make a cache of " + capacity + " bytes. Give 1 or more.");
        }
        this.capacity = capacity;
        this.whenGone = whenGone;
        this.whenEvicted = whenEvicted;
    }

    private final class Entry {
        final CachedPart part;
        final V value;
        final long bytes;
        int leases;
        boolean isForgotten;

        Entry(CachedPart part, V value, long bytes) {
            this.part = part;
            this.value = value;
            this.bytes = bytes;
        }
    }

    /** The right to use an entry: it stays until all its leases are closed. Thread-safe. */
    final class Lease implements AutoCloseable {
        private final Entry entry;
        private final AtomicBoolean open = new AtomicBoolean(true);

        private Lease(Entry entry) {
            this.entry = entry;
        }

        V value() {
            return entry.value;
        }

        CachedPart part() {
            return entry.part;
        }

        /** Another lease of the same entry. Legal while this one is open. */
        Lease share() {
            synchronized (LeasedEntries.this) {
                entry.leases++;
                return new Lease(entry);
            }
        }

        /** Ends the lease. Idempotent. */
        @Override
        public void close() {
            if (open.compareAndSet(true, false)) {
                ended(entry);
            }
        }
    }

    /** Leases an entry and marks it as used; null if there is no such entry. */
    synchronized @Nullable Lease lease(CachedPart part) {
        Entry entry = entries.get(part);
        if (entry == null) {
            return null;
        }
        if (entry.leases++ == 0) {
            pinned += entry.bytes;
        }
        return new Lease(entry);
    }

    /**
     * Reserves room for bytes to come, if evictions can free enough. The reservation ends in
     * {@link #insert} or {@link #giveBack}.
     */
    boolean reserve(long bytes) {
        List<V> gone = new ArrayList<>(0);
        synchronized (this) {
            if (isClosed || bytes > capacity - pinned) {
                return false;
            }
            evict(capacity - bytes, gone);
            used += bytes;
            pinned += bytes;
        }
        if (!gone.isEmpty()) {
            whenEvicted.accept(gone.size());
            gone.forEach(whenGone);
        }
        return true;
    }

    private void evict(long most, List<V> gone) {
        Iterator<Entry> oldest = entries.values().iterator();
        while (used > most && oldest.hasNext()) {
            Entry entry = oldest.next();
            if (entry.leases == 0) {
                oldest.remove();
                used -= entry.bytes;
                gone.add(entry.value);
            }
        }
    }

    /** Ends a reservation without an entry. */
    synchronized void giveBack(long bytes) {
        used -= bytes;
        pinned -= bytes;
    }

    /**
     * Turns a reservation of that many bytes into an entry and leases it. An entry with the same
     * key is replaced.
     */
    Lease insert(CachedPart part, V value, long bytes) {
        Entry entry = new Entry(part, value, bytes);
        entry.leases = 1;
        List<V> gone = new ArrayList<>(0);
        synchronized (this) {
            remove(entries.remove(part), gone);
            if (isClosed) {
                entry.isForgotten = true;
            } else {
                entries.put(part, entry);
            }
        }
        gone.forEach(whenGone);
        return new Lease(entry);
    }

    /** Removes the entries that a test accepts. Leased entries stay until their last lease ends. */
    void forget(Predicate<CachedPart> test) {
        List<V> gone = new ArrayList<>(0);
        synchronized (this) {
            Iterator<Entry> all = entries.values().iterator();
            while (all.hasNext()) {
                Entry entry = all.next();
                if (test.test(entry.part)) {
                    all.remove();
                    remove(entry, gone);
                }
            }
        }
        gone.forEach(whenGone);
    }

    /** Removes an entry, if present. */
    void forget(CachedPart part) {
        List<V> gone = new ArrayList<>(0);
        synchronized (this) {
            remove(entries.remove(part), gone);
        }
        gone.forEach(whenGone);
    }

    private void remove(@Nullable Entry entry, List<V> gone) {
        if (entry == null) {
            return;
        }
        entry.isForgotten = true;
        if (entry.leases == 0) {
            used -= entry.bytes;
            gone.add(entry.value);
        }
    }

    private void ended(Entry entry) {
        boolean isGone;
        synchronized (this) {
            if (--entry.leases > 0) {
                return;
            }
            pinned -= entry.bytes;
            isGone = entry.isForgotten;
            if (isGone) {
                used -= entry.bytes;
            }
        }
        if (isGone) {
            whenGone.accept(entry.value);
        }
    }

    long capacity() {
        return capacity;
    }

    /** Bytes of entries, of reservations, and of removed entries still on lease. */
    synchronized long used() {
        return used;
    }

    synchronized int size() {
        return entries.size();
    }

    /** Removes all entries and accepts no new ones. Idempotent. */
    void close() {
        synchronized (this) {
            isClosed = true;
        }
        forget(part -> true);
    }
}
