package dev.blobshuffle.log.internal;

/**
 * A position between two records of a partition: the batch's sequence and the index of the next
 * record, counted over all records of that batch ({@code docs/format.md}, "Entries of a log
 * batch").
 *
 * @param sequence of the batch, 0 to 2^39 - 1
 * @param index of the record, 0 to 2^24 - 1
 */
public record LogPosition(long sequence, int index) implements Comparable<LogPosition> {
    /** Bits of the index. */
    public static final int INDEX_BITS = 24;

    /** The start of a topic that was never trimmed. */
    public static final LogPosition START = new LogPosition(0, 0);

    /** Checks both parts. */
    public LogPosition {
        if (sequence < 0 || sequence >= 1L << 39 || index < 0 || index >= 1 << INDEX_BITS) {
            throw new IllegalArgumentException(
                    "Cannot form a position: sequence " + sequence + ", index " + index + " out of range.");
        }
    }

    /** The position that a number stands for. */
    public static LogPosition of(long value) {
        return new LogPosition(value >>> INDEX_BITS, (int) (value & ((1 << INDEX_BITS) - 1)));
    }

    /** The position as one number, which rises with the position. */
    public long value() {
        return sequence << INDEX_BITS | index;
    }

    @Override
    public int compareTo(LogPosition other) {
        return Long.compare(value(), other.value());
    }
}
