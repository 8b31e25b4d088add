package dev.blobshuffle.core.format;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of one segment, in order, from bytes that come at once or in pieces. Frames are checked and decoded one at a time, when their first record
 * is asked for; skipped frames are not decoded at all. Owned by one thread.
 *
 * <pre>{@code
 * SegmentReader reader = new SegmentReader(notification);
 * reader.skip(firstRecord);
 * while (!reader.isFinished()) {
 *     reader.input(bytes);            // of the segment, from reader.position() on, at least reader.wanted() of them
 *     while (reader.next()) { ... }
 * }
 * }</pre>
 *
 * <p>Total: whatever the bytes, each method gives its result or throws {@code BlobCorrupt}, and no more than {@link Frame#MAX_RAW_LENGTH} bytes are
 * allocated besides the keys and values.
 */
public final class SegmentReader {
    private final Notification notification;

    /** A reader at the first record of the notification's segment. It has no bytes yet. */
    public SegmentReader(Notification notification) {
        this.notification = notification;
    }

    /** Offset in the segment, bytes, from where {@link #input} goes on: everything before it is consumed (or skipped). */
    public long position() {
        throw new UnsupportedOperationException(notification.toString());
    }

    /** How many bytes from {@link #position()} on the next step needs at least; 0 when all records are read or skipped. Never more than the segment has. */
    public int wanted() {
        throw new UnsupportedOperationException();
    }

    /**
     * Takes bytes of the segment, replacing those before. The buffer's array must be accessible and unchanged until the next input; position and
     * limit are not moved. Where the buffer holds the whole segment, the notification's checksum is verified before any record is read; in
     * pieces, after the last one.
     *
     * @param bytes the segment's bytes from {@link #position()} on: all that remain, or fewer
     */
    public void input(ByteBuffer bytes) {
        throw new UnsupportedOperationException();
    }

    /**
     * Steps to the next record.
     *
     * @return false when the input is used up: the segment is finished ({@link #isFinished()}) or more input is needed
     * @throws dev.blobshuffle.core.failure.BlobCorrupt fatal: the bytes are not what was written
     */
    public boolean next() {
        throw new UnsupportedOperationException();
    }

    /** Skips records from the next one on, or to the end when fewer are left. Whole frames are skipped by their header, without their bytes. */
    public void skip(int records) {
        throw new UnsupportedOperationException();
    }

    /** Whether every record was read or skipped, and the segment's end checked. */
    public boolean isFinished() {
        throw new UnsupportedOperationException();
    }

    /** Index in the segment of the record that the last {@link #next()} stepped to. */
    public int index() {
        throw new UnsupportedOperationException();
    }

    /** The record's timestamp, milliseconds since the Unix epoch. */
    public long timestamp() {
        throw new UnsupportedOperationException();
    }

    /** The record's key: a fresh array at each call. */
    public byte @Nullable [] key() {
        throw new UnsupportedOperationException();
    }

    /** The record's value: a fresh array at each call. */
    public byte @Nullable [] value() {
        throw new UnsupportedOperationException();
    }

    /** The record's headers; valid until the next step. */
    public Headers headers() {
        throw new UnsupportedOperationException();
    }
}
