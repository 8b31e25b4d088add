package dev.blobshuffle.core.internal.format.record;

import org.jspecify.annotations.Nullable;

/** A record where a reader found it. Valid until the reader steps on. Owned as the reader is. */
public interface RecordView {
    /** Milliseconds since the Unix epoch. */
    long timestamp();

    /** The key: a fresh array at each call. */
    byte @Nullable [] key();

    /** The value: a fresh array at each call. */
    byte @Nullable [] value();

    /** The headers. */
    Headers headers();

    /** Length of the key, bytes; 0 without one. */
    int keyLength();

    /** Length of the value, bytes; 0 without one. */
    int valueLength();

    /** The array in which the value lies; not to be changed. */
    byte[] array();

    /** Where the value begins in the array. */
    int valueOffset();
}
