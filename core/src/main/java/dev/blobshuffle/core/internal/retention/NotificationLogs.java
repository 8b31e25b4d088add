package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The logs that hold the notifications: one log per partition, with entries at ascending positions.
 * Owned by one thread.
 */
public interface NotificationLogs extends AutoCloseable {
    /** The topics that have logs. */
    Set<String> topics() throws InterruptedException;

    /**
     * The current terms of the logs of the topics that match. A log is missing if its term cannot
     * be found out now. Logs that are never replaced and have no leaders have no terms.
     */
    default Map<Partition, Term> terms(Predicate<String> topics) throws InterruptedException {
        return Map.of();
    }

    /**
     * Passes on all entries of the logs of some topics, including uncommitted ones. Reads each log
     * from its start to its end at the time of the call. The end includes entries that readers do
     * not see yet.
     *
     * @return the start and end of each log, or why they are not certain
     * @throws dev.blobshuffle.core.failure.BlobCorruptException an entry is a notification and
     *     cannot be decoded
     */
    Map<Partition, Extent> read(Set<String> topics, Receiver receiver) throws InterruptedException;

    /**
     * Looks for logs that are not the ones that were read, for example because they were restored
     * from a backup.
     *
     * @param starts the start of each log when it was read
     * @return such a log, and why; empty if all logs begin at these starts or later
     */
    default Optional<String> goneBack(Map<Partition, Long> starts) throws InterruptedException {
        return Optional.empty();
    }

    @Override
    void close();

    /**
     * The identity of a partition's log and of its leadership. Two equal terms at different times
     * mean that the log and its leader did not change in between.
     *
     * @param log identifies the log; it differs if the topic was deleted and created again
     * @param leadership increases with each change of the leader
     */
    record Term(String log, int leadership) {}

    /**
     * The start and end of a log.
     *
     * @param start the first position that the log holds
     * @param end the position behind the last entry
     * @param term the log's term while it was read; empty for logs without terms
     * @param doubt why entries of the past may still appear in the log; empty if none can
     */
    record Extent(long start, long end, Optional<Term> term, Optional<String> doubt) {
        /** The extent of a log without terms and doubts. */
        public Extent(long start, long end) {
            this(start, end, Optional.empty(), Optional.empty());
        }
    }

    /** Receives the entries of logs. */
    interface Receiver {
        /**
         * Receives an entry that is, or may be, a notification.
         *
         * @param position the entry's position in the log
         * @param isMarked whether a BlobShuffle writer marked it; otherwise a user's bytes may look
         *     like a notification
         */
        void notification(Partition partition, long position, Notification notification, boolean isMarked);

        /**
         * Receives the number of bytes read since the last call. May wait.
         *
         * @throws dev.blobshuffle.core.failure.ClosedException the sweep must end
         */
        void read(long bytes) throws InterruptedException;
    }
}
