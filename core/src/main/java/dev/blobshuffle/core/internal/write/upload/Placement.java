package dev.blobshuffle.core.internal.write.upload;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.store.BlobId;
import java.util.List;

/**
 * The place where segments are stored.
 *
 * @param id the blob that holds them
 * @param notifications one per segment, in the order of the segments' layout
 */
public record Placement(BlobId id, List<Notification> notifications) {
    /** Copies the notifications. */
    public Placement {
        notifications = List.copyOf(notifications);
    }
}
