package dev.blobshuffle.flink.internal.reference;

import java.util.Arrays;

/**
 * An element of the hash edge between the Batcher and the Debatcher: the notification of a segment,
 * or a record if its batch was not worth a blob. It belongs to one key group. Immutable.
 */
public final class Reference {
    /**
     * The byte behind a serialized record that has no timestamp. The timestamp cannot say so,
     * because sources of Flink give records {@link Long#MIN_VALUE} if they know none, and Flink
     * shows it to functions.
     */
    public static final int WITHOUT_TIMESTAMP = 0;

    private static final long NO_TIMESTAMP = Long.MIN_VALUE;

    private final int group;
    private final boolean isRecord;
    private final long timestamp;
    private final byte[] bytes;

    private Reference(int group, boolean isRecord, long timestamp, byte[] bytes) {
        this.group = group;
        this.isRecord = isRecord;
        this.timestamp = timestamp;
        this.bytes = bytes;
    }

    /**
     * The reference to a segment.
     *
     * @param notification its bytes; owned by the reference
     */
    public static Reference toSegment(int group, byte[] notification) {
        return new Reference(group, false, NO_TIMESTAMP, notification);
    }

    /**
     * A record.
     *
     * @param timestamp its timestamp; any if it has none
     * @param value the serialized record, with {@link #WITHOUT_TIMESTAMP} behind it if it has none;
     *     owned by the reference
     */
    public static Reference ofRecord(int group, long timestamp, byte[] value) {
        return new Reference(group, true, timestamp, value);
    }

    /** The key group of the records. */
    public int group() {
        return group;
    }

    /** Whether it is a record; else it is a notification. */
    public boolean isRecord() {
        return isRecord;
    }

    /** The timestamp of a record. */
    public long timestamp() {
        return timestamp;
    }

    /** The notification, or the serialized record; not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Reference that
                && group == that.group
                && isRecord == that.isRecord
                && timestamp == that.timestamp
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return 31 * group + Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return (isRecord ? "record" : "notification") + " of group " + group + ", " + bytes.length + " bytes";
    }
}
