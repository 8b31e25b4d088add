package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads and timers of one node in all tasks of this instance, open while one of these is.
 * Strays and failures in a row outlive them: a task that starts again must not forget them.
 * Thread-safe: guarded by itself.
 */
final class CallThreads {
    private final AtomicInteger strays = new AtomicInteger();
    private final Map<String, Integer> timeoutsInARow = new ConcurrentHashMap<>();
    private @Nullable SystemTime time;
    private Time.@Nullable Workers workers;
    private int users;

    /** One task's share. */
    synchronized Lease acquire(String name, int threads) {
        SystemTime clock = time;
        Time.Workers pool = workers;
        if (clock == null || pool == null) {
            clock = new SystemTime();
            pool = clock.blockingWorkers("blobshuffle-" + name, threads);
            time = clock;
            workers = pool;
        }
        users++;
        return new Lease(clock, pool);
    }

    private synchronized void release() {
        users--;
        if (users == 0 && time != null && workers != null) {
            workers.close();
            time.close();
            workers = null;
            time = null;
        }
    }

    /** Calls of closed tasks whose functions have not returned. */
    AtomicInteger strays() {
        return strays;
    }

    /** Commits of each task that gave up waiting, one after the other. */
    Map<String, Integer> timeoutsInARow() {
        return timeoutsInARow;
    }

    /** One task's share. Owned by its stream thread. */
    final class Lease implements AutoCloseable {
        private final SystemTime clock;
        private final Time.Workers pool;
        private boolean isReleased;

        private Lease(SystemTime clock, Time.Workers pool) {
            this.clock = clock;
            this.pool = pool;
        }

        Time time() {
            return clock;
        }

        Time.Workers workers() {
            return pool;
        }

        @Override
        public void close() {
            if (!isReleased) {
                isReleased = true;
                release();
            }
        }
    }
}
