package dev.blobshuffle.core.cache;

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
 * What a cache holds, within a number of bytes: to make room, the least recently used entries go, but never one on lease. Room is reserved before bytes are
 * fetched, so that entries, reservations, and forgotten entries that are still on lease never take more than the capacity together. Thread-safe.
 *
 * @param <V> what an entry stands for
 */
final class LeasedEntries<V> {
    private final long capacity;
    private final Consumer<V> whenGone;
    private final IntConsumer whenEvicted;

    /** In the order of last use. Guarded by this, as what follows. */
    private final Map<CachedPart, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    /** Bytes of everything: entries, reservations, forgotten entries on lease. */
    private long used;

    /** The bytes among them that no eviction can free. */
    private long pinned;

    private boolean isClosed;

    /**
     * An empty cache.
     *
     * @param capacity most bytes, 1 or more
     * @param whenGone takes back the value of each entry that is gone and not on lease any more; called without a lock, by any thread
     * @param whenEvicted hears how many entries had to make way; called likewise
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

    /** A lease of an entry, which counts as its use; null if there is none. */
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

    /** Takes room for bytes that will come, if what is not on lease can make way. The room ends in {@link #insert} or {@link #giveBack}. */
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

    /** Turns a reservation of so many bytes into an entry, in place of one of the same name, and leases it. */
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

    /** Forgets the entries that a test accepts; those on lease go with their last one. */
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

    /** Forgets an entry, if it is there. */
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

    /** Bytes of entries, of reservations and of what is still on lease. */
    synchronized long used() {
        return used;
    }

    synchronized int size() {
        return entries.size();
    }

    /** Forgets everything and takes nothing any more. Idempotent. */
    void close() {
        synchronized (this) {
            isClosed = true;
        }
        forget(part -> true);
    }
}
