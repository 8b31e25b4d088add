package dev.blobshuffle.core.cache;

import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Which members are worth asking. One that failed is left alone for a while, which doubles with each failure in a row; then a single request tries. Thread-safe.
 */
final class PeerCircuits {
    private static final long FIRST_NANOS = Duration.ofMillis(500).toNanos();
    private static final long LONGEST_NANOS = Duration.ofSeconds(30).toNanos();

    /** Members come and go; those that do not fail are not here, so this many are far more than are ever of use. */
    private static final int MOST = 4096;

    private final Time time;
    private final ConcurrentMap<Long, Open> open = new ConcurrentHashMap<>();

    PeerCircuits(Time time) {
        this.time = time;
    }

    /** A member that failed: so often in a row, and left alone until then. */
    private record Open(int failures, long untilNanos) {
        static Open after(int failures, long nowNanos) {
            long pause = Math.min(LONGEST_NANOS, FIRST_NANOS << Math.min(failures - 1, 20));
            return new Open(failures, nowNanos + pause);
        }
    }

    /** Whether to ask a member now. After a pause, one caller is told yes, and the others to wait for how it fares. */
    boolean allows(long member) {
        Open now = open.get(member);
        if (now == null) {
            return true;
        }
        long nanos = time.nanos();
        return nanos - now.untilNanos() >= 0 && open.replace(member, now, Open.after(now.failures(), nanos));
    }

    /** Whether a member is being left alone. */
    boolean isLeftAlone(long member) {
        Open now = open.get(member);
        return now != null && time.nanos() - now.untilNanos() < 0;
    }

    /** A member answered as it should. */
    void answered(long member) {
        if (!open.isEmpty()) {
            open.remove(member);
        }
    }

    /** A member failed, or what it answered was wrong. */
    void failed(long member) {
        if (open.size() >= MOST) {
            open.clear();
        }
        open.compute(member, (id, now) -> Open.after(now == null ? 1 : now.failures() + 1, time.nanos()));
    }
}
