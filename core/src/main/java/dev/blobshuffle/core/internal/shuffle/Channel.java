package dev.blobshuffle.core.internal.shuffle;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The channel of one lane: a Kafka producer, a Flink stream, a commit log. It carries
 * notifications, and plain records if a batch is inlined or the store is down. The lane calls it in
 * append order per partition, from one thread at a time. It sends a notification only after the
 * referenced blob is readable, and a flush ends only after it is durable. Acknowledgements may come
 * from any thread.
 */
public interface Channel {
    /**
     * Sends all segments of the lane that may be sent now. A channel that writes one log entry for
     * many segments overrides this method, takes entries until none is left, and writes them
     * together. By default, each segment is sent separately by one of the two methods below.
     *
     * <p>An exception means that the channel lost the entries that it took; the lane fails.
     */
    default void send(Outgoing outgoing) {
        for (Entry entry = outgoing.next(); entry != null; entry = outgoing.next()) {
            Notification notification = entry.notification();
            if (notification == null) {
                send(entry.partition(), entry.records(), entry.delivery());
            } else {
                send(entry.partition(), notification, entry.earliest(), entry.latest(), entry.delivery());
            }
        }
    }

    /**
     * Sends a notification.
     *
     * @param earliest the smallest timestamp of the segment's records, milliseconds
     * @param latest the largest timestamp of the segment's records, milliseconds
     * @param delivery called once, when the channel has accepted the notification or failed
     */
    void send(Partition partition, Notification notification, long earliest, long latest, Delivery delivery);

    /**
     * Sends the records of one segment as plain records, in order.
     *
     * @param records the records; valid during the call only
     * @param delivery called once, when the channel has accepted all records or failed
     */
    void send(Partition partition, SegmentRecords records, Delivery delivery);

    /**
     * Reports to the channel that the lane has failed and sends nothing more until it is discarded.
     * Called once per failure, from any thread; must not block. For channels that owe the callers
     * of append an answer.
     */
    default void failed(RuntimeException cause) {}

    /**
     * Asks the channel to send the entries that it holds back, without waiting for them. Called
     * after sends outside a flush, by the sending thread; must not block or throw. For channels
     * that hold entries back.
     */
    default void requestFlush() {}

    /**
     * The longest time from a send until the channel reports the delivery or its failure. While the
     * process runs, a notification that was reported as failed never becomes visible. The lane adds
     * this time to a notification's age before it sends it.
     */
    default Duration longestDelivery() {
        return Duration.ZERO;
    }

    /**
     * Sends all buffered entries and waits until everything sent before is acknowledged or has
     * failed. Called by the lane's owner in a flush.
     */
    void flush();

    /** The segments of a lane that may be sent. Used within one call, by its thread. */
    interface Outgoing {
        /**
         * The next segment, in append order per partition. The channel must call the {@link
         * Delivery} of each entry that it takes.
         *
         * @return null when no segment is left, or the lane has failed
         */
        @Nullable
        Entry next();
    }

    /** A segment to send. */
    interface Entry {
        /** The destination. */
        Partition partition();

        /** The notification of the segment; null: its records are sent instead. */
        @Nullable
        Notification notification();

        /** The smallest timestamp of the records, milliseconds. */
        long earliest();

        /** The largest timestamp of the records, milliseconds. */
        long latest();

        /**
         * The records, if there is no notification. Valid until the next entry is taken or the call
         * of the channel ends.
         */
        SegmentRecords records();

        /** Called once, when the channel has accepted the segment or failed. */
        Delivery delivery();
    }

    /** The outcome of one delivery. */
    interface Delivery {
        /** The channel has accepted the segment. */
        void delivered();

        /** The channel lost the segment. The lane has failed until it is discarded. */
        void failed(Throwable cause);

        /**
         * Runs an action when the segment is durable. A channel that answers the callers of append
         * answers then, since a store of two speeds lets it send a notification earlier. Runs at
         * once if the outcome is known, otherwise on any thread; must not block.
         *
         * @param durable the action
         * @param lost runs instead if the lane fails or is discarded before
         */
        default void whenDurable(Runnable durable, Consumer<RuntimeException> lost) {
            durable.run();
        }

        /**
         * Whether the notification is too old to be sent, because a sweeper may delete its blob
         * before the notification is visible. A channel that holds notifications back checks this
         * before it sends one, and reports a failure instead.
         */
        default boolean isTooLate() {
            return false;
        }
    }

    /** The records of one segment, readable once. */
    interface SegmentRecords {
        /** Number of records. */
        int count();

        /** Passes each record to a receiver, in append order. */
        void forEach(RecordReceiver receiver);
    }
}
