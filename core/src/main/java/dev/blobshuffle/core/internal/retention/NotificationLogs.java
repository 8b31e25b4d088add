package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import java.util.Map;
import java.util.Set;

/**
 * The logs that hold the notifications: one log per partition, with entries at ascending positions.
 * Owned by one thread.
 */
public interface NotificationLogs extends AutoCloseable {
    /** The topics that have logs. */
    Set<String> topics() throws InterruptedException;

    /**
     * Passes on all entries of the logs of some topics, uncommitted ones included. Reads each log
     * from its start to its end at the time of the call.
     *
     * @return where each log begins and ends
     * @throws dev.blobshuffle.core.failure.BlobCorrupt an entry is a notification and cannot be
     *     decoded
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

    /** Receives the entries of logs. */
    interface Receiver {
        /**
         * Receives an entry that is, or may be, a notification.
         *
         * @param position of the entry in the log
         * @param isMarked whether a BlobShuffle writer marked it; otherwise a user's bytes may look
         *     like a notification
         */
        void notification(Partition partition, long position, Notification notification, boolean isMarked);

        /**
         * Receives the number of bytes read since the last call. May wait.
         *
         * @throws dev.blobshuffle.core.failure.Closed the sweep is to end
         */
        void read(long bytes) throws InterruptedException;
    }
}
