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
    /** Approximate memory of a queued record in addition to key and value. */
    private static final int OVERHEAD = 128;

    /** Approximate bytes in memory. */
    long size() {
        return OVERHEAD + (key == null ? 0L : key.length) + (value == null ? 0L : value.length);
    }
}
