package dev.blobshuffle.core.internal.write.seal;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Makes lanes that commit at about the same time share a blob. Each lane commits on its own timer,
 * so its last flush and the interval before that predict its next one. A flush waits for lanes that
 * are expected to flush within a window: 10 % of its own interval, at most 10 ms. It never waits
 * for a lane that does not flush regularly, or if there is no other lane. Thread-safe.
 */
public final class GroupCommit {
    private static final long LONGEST_WINDOW_NANOS = Duration.ofMillis(10).toNanos();
    private static final int WINDOW_SHARE = 10;

    private final Time time;
    private final Signal arrived;
    /** Guarded by this. */
    private final Map<Sealable, Rhythm> rhythms = new HashMap<>();

    /** The flush times of a lane. */
    private static final class Rhythm {
        private long lastNanos;
        private long intervalNanos;
        private boolean isRegular;
        private boolean isWaiting;

        private Rhythm(long nowNanos) {
            lastNanos = nowNanos;
        }

        private void beat(long nowNanos) {
            long interval = nowNanos - lastNanos;
            long tolerance = Math.max(interval, intervalNanos) / 4;
            isRegular = interval > 0 && Math.abs(interval - intervalNanos) <= tolerance;
            intervalNanos = interval;
            lastNanos = nowNanos;
        }

        /** Whether the next flush is expected before a deadline. */
        private boolean isDue(long nowNanos, long deadlineNanos) {
            long next = lastNanos + intervalNanos;
            return isRegular && next - nowNanos >= 0 && next - deadlineNanos <= 0;
        }
    }

    /** Group commit for the lanes of one Batcher. */
    public GroupCommit(Time time) {
        this.time = time;
        arrived = time.signal();
    }

    /** Forgets a lane. */
    public synchronized void remove(Sealable lane) {
        rhythms.remove(lane);
    }

    /**
     * Waits for the lanes that are expected to flush soon, or until one of them seals.
     *
     * @return whether another lane has sealed the batch, and with it the caller's records
     */
    public boolean joinOthers(Sealable lane, long deadlineNanos) throws InterruptedException {
        long now = time.nanos();
        long seals = lane.batch().seals();
        Rhythm own;
        long until;
        synchronized (this) {
            own = rhythms.computeIfAbsent(lane, unknown -> new Rhythm(now));
            own.beat(now);
            long window = Math.min(LONGEST_WINDOW_NANOS, own.intervalNanos / WINDOW_SHARE);
            until = now + Math.min(window, Math.max(0, deadlineNanos - now));
            own.isWaiting = true;
        }
        arrived.raise();
        try {
            while (lane.batch().seals() == seals) {
                long seen = arrived.count();
                if (!expectsOthers(lane, until) || !arrived.await(seen, until)) {
                    return lane.batch().seals() != seals;
                }
            }
            return true;
        } finally {
            synchronized (this) {
                own.isWaiting = false;
            }
            arrived.raise();
        }
    }

    private synchronized boolean expectsOthers(Sealable lane, long untilNanos) {
        long now = time.nanos();
        for (Map.Entry<Sealable, Rhythm> other : rhythms.entrySet()) {
            boolean shares = other.getKey() != lane && other.getKey().batch() == lane.batch();
            if (shares && !other.getValue().isWaiting && other.getValue().isDue(now, untilNanos)) {
                return true;
            }
        }
        return false;
    }
}
