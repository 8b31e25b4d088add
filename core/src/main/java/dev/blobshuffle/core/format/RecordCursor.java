package dev.blobshuffle.core.format;

import org.jspecify.annotations.Nullable;

/**
 * Walks the records of one raw body, in order, copying nothing until a key or value is asked for. Reusable: {@link #reset} starts over another body.
 * Owned by one thread. Its {@link #headers()} are valid until the next call of {@link #next()}.
 */
public final class RecordCursor {
    /** A cursor over nothing. */
    public RecordCursor() {}

    /** Starts over a raw body, {@code array[offset, offset + length)} with the given number of records. */
    public void reset(byte[] array, int offset, int length, int records, long baseTimestamp) {
        throw new UnsupportedOperationException();
    }

    /** Starts over a frame's records; the body is decompressed into memory of the cursor where it has to be. */
    public void reset(Frame frame) {
        throw new UnsupportedOperationException();
    }

    /**
     * Steps to the next record.
     *
     * @return false after the last one
     * @throws dev.blobshuffle.core.failure.BlobCorrupt fatal: the bytes are not records
     */
    public boolean next() {
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
