package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.messaging.Header;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Receives records that could not be processed. Owned by the subscriber's thread. */
public interface DeadLetters extends AutoCloseable {
    /** Sends a record. May block while memory is short. */
    void send(long timestamp, byte @Nullable [] key, byte @Nullable [] value, List<Header> headers);

    /**
     * Waits until everything sent is durable.
     *
     * @throws dev.blobshuffle.core.failure.BlobShuffleException records were lost: do not commit
     */
    void flush();

    /** Releases everything. Idempotent. */
    @Override
    void close();
}
