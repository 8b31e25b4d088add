package dev.blobshuffle.core.shuffle;

import dev.blobshuffle.core.format.record.Headers;
import org.jspecify.annotations.Nullable;

/** Receives decoded records, one by one, in order. */
@FunctionalInterface
public interface RecordReceiver {
    /**
     * Takes one record. The arrays are the receiver's own; the headers are valid during the call only.
     *
     * @param timestamp milliseconds since the Unix epoch, as the writer gave it
     */
    void receive(long timestamp, byte @Nullable [] key, byte @Nullable [] value, Headers headers);
}
