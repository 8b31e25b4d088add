package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.messaging.Header;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record that was in the log's own entries.
 *
 * @param timestamp milliseconds since the Unix epoch
 */
@SuppressWarnings("ArrayRecordComponent") // Two records are never compared.
record PlainRecord(long timestamp, byte @Nullable [] key, byte @Nullable [] value, List<Header> headers) {
    /** What a record in a queue takes besides key and value, roughly. */
    private static final int OVERHEAD = 128;

    /** Bytes in memory, roughly. */
    long size() {
        return OVERHEAD + (key == null ? 0L : key.length) + (value == null ? 0L : value.length);
    }
}
