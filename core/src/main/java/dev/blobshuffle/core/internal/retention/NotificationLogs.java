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
     * Passes on all entries of the logs of some topics, uncommitted ones included. Reads each log
     * from its start to its end at the time of the call. The end covers entries that readers do not
     * see yet.
     *
     * @return where each log begins and ends, or why it is not certain
     * @throws dev.blobshuffle.core.failure.BlobCorrupt an entry is a notification and cannot be
     *     decoded
     */
    Map<Partition, Extent> read(Set<String> topics, Receiver receiver) throws InterruptedException;

    /**
     * Looks for logs that are not the ones that were read: restored from a backup, for example.
     *
     * @param starts where the logs began
     * @return such a log, and why; empty if all begin there or later
     */
    default Optional<String> goneBack(Map<Partition, Long> starts) throws InterruptedException {
        return Optional.empty();
    }

    @Override
    void close();

    /**
     * Which log a partition has, and for how long one leader has written it. Two equal terms at
     * different moments mean one log and one leader for all the time in between.
     *
     * @param log identifies the log; another one if the topic was deleted and created again
     * @param leadership grows with each change of the leader
     */
    record Term(String log, int leadership) {}

    /**
     * Where a log begins and ends.
     *
     * @param start the first position that the log holds
     * @param end the position behind the last entry
     * @param term of the log, while it was read; empty for logs without terms
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
