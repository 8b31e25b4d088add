package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.store.BlobId;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * The notification that keeps a blob.
 *
 * @param blob the blob
 * @param partition the partition whose log holds the notification
 * @param offset the notification's offset in the log
 */
public record BlobReference(BlobId blob, Partition partition, long offset) {
    /** The minute in which the blob was sealed, by its writer's clock. */
    public Instant minute() {
        return Instant.ofEpochMilli(TimeUnit.MINUTES.toMillis(blob.generation()));
    }

    @Override
    public String toString() {
        return "blob " + blob + " of " + minute() + ", by the notification at offset " + offset + " of " + partition;
    }
}
