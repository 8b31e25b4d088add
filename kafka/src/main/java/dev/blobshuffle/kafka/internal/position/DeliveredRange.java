package dev.blobshuffle.kafka.internal.position;

import java.util.TreeSet;

/**
 * The range of offsets that a consumer has returned from one partition, as far as commits need it.
 * It remembers which real offsets hold several records. A caller that commits the offset of a
 * record, not the position after it, commits (n, LAST). If n holds a single record, that is n
 * itself, and the commit needs no index. Outside the range nothing is known, and the commit keeps
 * the index.
 *
 * <p>Also holds the notifications that the group gives up. Bounded: commits remove entries, and
 * without commits the oldest entries go first. Owned by the consumer's thread.
 */
public final class DeliveredRange {
    /** Most segments with several records that are remembered, about 0.5 MB per partition. */
    private static final int LIMIT = 8192;

    private final TreeSet<Long> segments = new TreeSet<>();
    private long start;
    private long end;

    /** The given-up notifications; kept across seeks. */
    private GivenUp givenUp = GivenUp.NONE;

    /** Adds a returned record of a real offset; offsets rise. */
    public void delivered(long real, int count) {
        if (real == end - 1 && end != start) {
            // A further record of the latest segment: nearly every call, so do not allocate here.
            return;
        }
        if (end == start) {
            start = real;
        }
        end = Math.max(end, real + 1);
        if (count > 1) {
            segments.add(real);
        }
        if (segments.size() > LIMIT) {
            start = segments.first() + 1;
            segments.pollFirst();
        }
    }

    /** Whether an offset was returned and holds a single record. */
    boolean isSingle(long real) {
        return real >= start && real < end && !segments.contains(real);
    }

    /** Sets the given-up notifications. */
    public void giveUp(GivenUp offsets) {
        givenUp = offsets;
    }

    /** The given-up notifications. */
    public GivenUp givenUp() {
        return givenUp;
    }

    /** Removes everything below a committed offset. */
    public void committed(long real) {
        if (real > start) {
            start = Math.min(real, end);
            segments.headSet(real).clear();
        }
    }

    /** Removes everything but the given-up notifications, after a seek or a revocation. */
    public void reset() {
        segments.clear();
        start = 0;
        end = 0;
    }
}
