package dev.blobshuffle.core.internal.membership;

import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Tracks which members may be asked. A member that failed is not asked for a pause, which doubles
 * with each consecutive failure. Then a single request probes it. Thread-safe.
 */
public final class PeerCircuits {
    private static final long FIRST_NANOS = Duration.ofMillis(500).toNanos();
    private static final long LONGEST_NANOS = Duration.ofSeconds(30).toNanos();

    /**
     * Bounds the table as members come and go. Only members that failed are in it, so the bound is
     * generous.
     */
    private static final int MOST = 4096;

    private final Time time;
    private final ConcurrentMap<Long, Open> open = new ConcurrentHashMap<>();

    /** All members may be asked. */
    public PeerCircuits(Time time) {
        this.time = time;
    }

    /** A member that failed, its consecutive failures, and the end of its pause. */
    private record Open(int failures, long untilNanos) {
        static Open after(int failures, long nowNanos) {
            long pause = Math.min(LONGEST_NANOS, FIRST_NANOS << Math.min(failures - 1, 20));
            return new Open(failures, nowNanos + pause);
        }
    }

    /**
     * Whether to ask a member now. After a pause this is true for one caller, the probe; the others
     * wait for its outcome.
     */
    public boolean allows(long member) {
        Open now = open.get(member);
        if (now == null) {
            return true;
        }
        long nanos = time.nanos();
        return nanos - now.untilNanos() >= 0 && open.replace(member, now, Open.after(now.failures(), nanos));
    }

    /** Whether a member is in its pause. */
    public boolean isLeftAlone(long member) {
        Open now = open.get(member);
        return now != null && time.nanos() - now.untilNanos() < 0;
    }

    /** Records a correct answer. */
    public void answered(long member) {
        if (!open.isEmpty()) {
            open.remove(member);
        }
    }

    /** Records a failure or a wrong answer. */
    public void failed(long member) {
        if (open.size() >= MOST) {
            open.clear();
        }
        open.compute(member, (id, now) -> Open.after(now == null ? 1 : now.failures() + 1, time.nanos()));
    }
}
