package dev.blobshuffle.core.retention;

import dev.blobshuffle.core.format.Notification;
import dev.blobshuffle.core.format.Partition;
import java.util.Map;
import java.util.Set;

/**
 * The logs of notifications that lead to blobs: one log per partition, whose entries have ascending
 * positions. Owned by one thread.
 */
public interface NotificationLogs extends AutoCloseable {
    /** The topics that have logs. */
    Set<String> topics() throws InterruptedException;

    /**
     * Hands out all entries that the logs of some topics hold, uncommitted ones included: from their
     * starts to the ends that they have when the call begins.
     *
     * @return where each log begins and ends
     * @throws dev.blobshuffle.core.failure.BlobCorrupt an entry is a notification and cannot be decoded
     */
    Map<Partition, Extent> read(Set<String> topics, Receiver receiver) throws InterruptedException;

    @Override
    void close();

    /**
     * Where a log begins and ends.
     *
     * @param start the first position that the log holds
     * @param end the position behind the last entry
     */
    record Extent(long start, long end) {}

    /** Takes what logs hold. */
    interface Receiver {
        /**
         * Takes an entry that is, or may be, a notification.
         *
         * @param position of the entry in the log
         * @param isMarked whether a writer of ours marked it; otherwise a user's bytes may look like one
         */
        void notification(Partition partition, long position, Notification notification, boolean isMarked);

        /**
         * Hears how many bytes were read since the last call. May wait.
         *
         * @throws dev.blobshuffle.core.failure.Closed the reading shall end
         */
        void read(long bytes) throws InterruptedException;
    }
}
