package dev.blobshuffle.kafka.internal.position;

import java.util.TreeSet;

/**
 * What a consumer handed out of one partition, and what it leaves out of it, as far as commits need
 * it: which real offsets held a single record. A caller that commits the offset of a record it
 * holds, rather than the position after it, commits (n, LAST); if n is a plain or single record
 * that is n itself and is committed clean. Outside the range nothing is known, and the index is
 * kept in the commit. Bounded: pruned by commits, and by the oldest end when nobody commits. Owned
 * by the consumer's thread.
 */
public final class DeliveredRange {
    /** Segments with many records that are remembered at most, about 0.5 MB a partition. */
    private static final int LIMIT = 8192;

    private final TreeSet<Long> segments = new TreeSet<>();
    private long start;
    private long end;

    /** What is left out; survives seeks. */
    private GivenUp givenUp = GivenUp.NONE;

    /** Notes that a record of an offset was handed out; offsets rise. */
    public void delivered(long real, int count) {
        if (real == end - 1 && end != start) {
            return; // a further record of the segment that was noted last: almost every call, so nothing may be
            // allocated for it
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

    /** Whether an offset was handed out and held a single record. */
    boolean isSingle(long real) {
        return real >= start && real < end && !segments.contains(real);
    }

    /** Notes what is left out. */
    public void giveUp(GivenUp offsets) {
        givenUp = offsets;
    }

    /** What is left out. */
    public GivenUp givenUp() {
        return givenUp;
    }

    /** Forgets what lies below a committed offset. */
    public void committed(long real) {
        if (real > start) {
            start = Math.min(real, end);
            segments.headSet(real).clear();
        }
    }

    /** Forgets everything: after a seek or a revocation. */
    public void reset() {
        segments.clear();
        start = 0;
        end = 0;
    }
}
