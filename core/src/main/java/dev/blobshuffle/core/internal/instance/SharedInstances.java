package dev.blobshuffle.core.internal.instance;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Instances that several users of a process share, one for each key. The first user of a key opens
 * the instance, and the last one closes it. A user that arrives while the instance closes waits and
 * opens it again. Opening or closing an instance blocks only users of the same key.
 *
 * <p>Thread-safe: the map and the counts are guarded by the map, each instance by its entry. A
 * thread that needs both locks takes the entry's first.
 *
 * @param <K> the key of an instance
 * @param <I> the instance
 */
public final class SharedInstances<K, I extends AutoCloseable> {
    private final Map<K, Entry<I>> entries = new HashMap<>();

    /**
     * A user's share of an instance.
     *
     * @param <I> the instance
     */
    public interface Share<I> extends AutoCloseable {
        /** The instance, which is open until the share is closed. */
        I instance();

        /** Ends the share, and closes the instance if no other share is left. Idempotent. */
        @Override
        void close();
    }

    /**
     * A share of the instance of a key. Blocks while the instance opens or closes.
     *
     * @param opening opens the instance; if it throws an exception, the next user tries again
     */
    public Share<I> acquire(K key, Supplier<I> opening) {
        Entry<I> entry = take(key);
        I instance;
        try {
            instance = entry.open(opening);
        } catch (RuntimeException | Error e) {
            release(key, entry);
            throw e;
        }
        AtomicBoolean isReleased = new AtomicBoolean();
        return new Share<>() {
            @Override
            public I instance() {
                return instance;
            }

            @Override
            public void close() {
                if (isReleased.compareAndSet(false, true)) {
                    release(key, entry);
                }
            }
        };
    }

    private Entry<I> take(K key) {
        synchronized (entries) {
            Entry<I> entry = entries.computeIfAbsent(key, absent -> new Entry<>());
            entry.users++;
            return entry;
        }
    }

    private void release(K key, Entry<I> entry) {
        synchronized (entry) {
            synchronized (entries) {
                if (--entry.users > 0) {
                    return;
                }
            }
            try {
                entry.close();
            } finally {
                synchronized (entries) {
                    if (entry.users == 0) { // Otherwise a user waits to open it again.
                        entries.remove(key);
                    }
                }
            }
        }
    }

    /** The number of instances that are open, opening or closing. */
    public int count() {
        synchronized (entries) {
            return entries.size();
        }
    }

    /** An instance, and the number of users that have it or wait for it. */
    private static final class Entry<I extends AutoCloseable> {
        private @Nullable I opened;
        private int users;

        synchronized I open(Supplier<I> opening) {
            I present = opened;
            if (present == null) {
                present = opening.get();
                opened = present;
            }
            return present;
        }

        synchronized void close() {
            I present = opened;
            opened = null;
            if (present == null) {
                return;
            }
            try {
                present.close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException("Cannot close " + present + ": " + e.getMessage(), e);
            }
        }
    }
}
