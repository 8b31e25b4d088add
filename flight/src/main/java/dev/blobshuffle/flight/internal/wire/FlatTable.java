package dev.blobshuffle.flight.internal.wire;

import dev.blobshuffle.core.failure.BlobCorruptException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A reader of single fields of a flatbuffer table. For any bytes, a read returns a value or throws
 * {@link BlobCorruptException}. Immutable.
 */
final class FlatTable {
    private final ByteBuffer buffer;
    private final String what;
    private final int at;
    private final int slots;
    private final int slotCount;

    private FlatTable(ByteBuffer buffer, long at, String what) {
        this.buffer = buffer;
        this.what = what;
        this.at = offset(at, Integer.BYTES);
        slots = offset((long) this.at - buffer.getInt(this.at), 2 * Short.BYTES);
        int length = Short.toUnsignedInt(buffer.getShort(slots));
        slotCount = (length - 2 * Short.BYTES) / Short.BYTES;
        int ignored = offset(slots, Math.max(length, 2 * Short.BYTES));
    }

    /**
     * The root table.
     *
     * @param flatbuffer from 0 to its limit
     * @param what names the flatbuffer in a failure
     * @throws BlobCorruptException fatal: the bytes have no root table
     */
    static FlatTable root(ByteBuffer flatbuffer, String what) {
        ByteBuffer bytes = flatbuffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.limit() < Integer.BYTES) {
            throw malformed(what);
        }
        return new FlatTable(bytes, Integer.toUnsignedLong(bytes.getInt(0)), what);
    }

    /** The signed number in a slot, 1 or 8 bytes wide; 0 if the table does not have the slot. */
    long number(int slot, int width) {
        int relative = relative(slot);
        if (relative == 0) {
            return 0;
        }
        int place = offset((long) at + relative, width);
        return width == 1 ? buffer.get(place) : buffer.getLong(place);
    }

    /**
     * The table to which a slot refers.
     *
     * @throws BlobCorruptException fatal: there is none
     */
    FlatTable child(int slot) {
        int relative = relative(slot);
        if (relative == 0) {
            throw malformed(what);
        }
        int place = offset((long) at + relative, Integer.BYTES);
        return new FlatTable(buffer, place + Integer.toUnsignedLong(buffer.getInt(place)), what);
    }

    private int relative(int slot) {
        return slot < slotCount
                ? Short.toUnsignedInt(buffer.getShort(slots + 2 * Short.BYTES + slot * Short.BYTES))
                : 0;
    }

    private int offset(long offset, int width) {
        if (offset < 0 || offset > (long) buffer.limit() - width) {
            throw malformed(what);
        }
        return (int) offset;
    }

    private static BlobCorruptException malformed(String what) {
        return ArrowMessage.corrupt(what, "the metadata of a message is not a flatbuffer");
    }
}
