package dev.blobshuffle.kafka.internal.position;

import org.apache.kafka.common.KafkaException;

/**
 * Computes virtual offsets. One notification at the real offset n stands for many records, and each
 * record needs an offset of its own that rises with order: {@code v = n << 20 | i}, where i is the
 * record's index in its segment. A position v means "the next record is the first one whose offset
 * is at least v". The last record of a segment and every plain record have the largest index. Thus
 * {@code offset() + 1} of such a record is (n + 1, 0), and no caller needs to know how many records
 * a segment has. Negative numbers, which Kafka uses for "unknown" and "end", are not translated.
 * Stateless.
 */
public final class VirtualOffset {
    /** Bits of the index. */
    static final int INDEX_BITS = 20;

    /** The largest index. The last record of a segment and plain records have it. */
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
