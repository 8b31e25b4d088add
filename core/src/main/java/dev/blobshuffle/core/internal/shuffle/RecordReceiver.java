package dev.blobshuffle.core.internal.shuffle;

import dev.blobshuffle.core.internal.format.record.Headers;
import org.jspecify.annotations.Nullable;

/** Receives decoded records, one by one, in order. */
@FunctionalInterface
public interface RecordReceiver {
    /**
     * Receives one record. The receiver owns the arrays; the headers are valid during the call
     * only.
     *
     * @param timestamp the writer's timestamp, milliseconds since the Unix epoch
     */
    void receive(long timestamp, byte @Nullable [] key, byte @Nullable [] value, Headers headers);
}
