package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The threads and timers of one node, for all its tasks in this instance; open while one of the
 * tasks is. Its counts of stray calls and consecutive timeouts outlive the tasks, because a
 * restarted task must still know them. Thread-safe: guarded by itself.
 */
final class CallThreads {
    private final UnaryOperator<Time> clock;
    private final AtomicInteger strays = new AtomicInteger();
    private final Map<String, Integer> timeoutsInARow = new ConcurrentHashMap<>();
    private @Nullable SystemTime time;
    private Time.@Nullable Workers workers;
    private int users;

    CallThreads() {
        this(UnaryOperator.identity());
    }

    /**
     * The same with another clock, for tests.
     *
     * @param clock makes the nodes' clock from the system's
     */
    CallThreads(UnaryOperator<Time> clock) {
        this.clock = clock;
    }

    /** Acquires one task's share. */
    synchronized Lease acquire(String name, int threads) {
        SystemTime machine = time;
        Time.Workers pool = workers;
        if (machine == null || pool == null) {
            machine = new SystemTime();
            pool = machine.blockingWorkers("blobshuffle-" + name, threads);
            time = machine;
            workers = pool;
        }
        users++;
        return new Lease(clock.apply(machine), pool);
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

    /** Number of calls of closed tasks whose functions have not returned. */
    AtomicInteger strays() {
        return strays;
    }

    /** Number of consecutive commits of each task that timed out. */
    Map<String, Integer> timeoutsInARow() {
        return timeoutsInARow;
    }

    /** One task's share. Owned by its stream thread. */
    final class Lease implements AutoCloseable {
        private final Time time;
        private final Time.Workers pool;
        private boolean isReleased;

        private Lease(Time time, Time.Workers pool) {
            this.time = time;
            this.pool = pool;
        }

        Time time() {
            return time;
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
