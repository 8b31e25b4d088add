package dev.blobshuffle.kafka.internal.position;

import org.apache.kafka.common.KafkaException;

/**
 * The arithmetic of virtual offsets. One notification at the real offset n stands for many records,
 * and each needs an offset of its own that rises with order: {@code v = n << 20 | i}, i being the
 * record's index in its segment. A position v means "the next record is the first one whose offset
 * is v or more", so the last record of a segment and every plain record carry the largest index:
 * then the idiom {@code offset() + 1} gives (n + 1, 0), clean and without knowledge of counts.
 * Negative numbers, which Kafka uses for "unknown" and "end", pass unchanged. Stateless.
 */
public final class VirtualOffset {
    /** Bits of the index. */
    static final int INDEX_BITS = 20;

    /** The largest index, carried by the last record of a segment and by plain records. */
    public static final int LAST = (1 << INDEX_BITS) - 1;

    /** The largest real offset that leaves room for the index, and for the position after it. */
    static final long MAX_REAL = (1L << (63 - INDEX_BITS)) - 2;

    private VirtualOffset() {}

    /** The virtual offset or position of an index at a real offset. */
    public static long of(long real, int index) {
        if (real < 0) {
            return real;
        }
        if (real > MAX_REAL) {
            throw new KafkaException("Cannot shuffle through blobs: real offset " + real + " is above the limit "
                    + MAX_REAL + " of virtual offsets. Use a new topic.");
        }
        return real << INDEX_BITS | index;
    }

    /** The position at the start of a real offset. */
    public static long of(long real) {
        return of(real, 0);
    }

    /** The offset that a record carries. */
    public static long ofRecord(long real, int index, int count) {
        return of(real, index < count - 1 ? index : LAST);
    }

    /** The real offset inside a virtual one. */
    public static long real(long virtual) {
        return virtual < 0 ? virtual : virtual >> INDEX_BITS;
    }

    /** The index inside a virtual offset. */
    public static int index(long virtual) {
        return virtual < 0 ? 0 : (int) (virtual & LAST);
    }
}
