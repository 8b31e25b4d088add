package dev.blobshuffle.core.shuffle;

import dev.blobshuffle.core.format.Notification;
import dev.blobshuffle.core.format.Partition;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The engine's own channel of one lane, which carries notifications, and plain records where a batch is inlined or the store is down: a Kafka producer, a
 * Flink stream, a commit log. The lane calls it strictly in append order per partition, from one thread at a time, never before everything that a
 * notification refers to is durable. Acknowledgements may come from any thread.
 */
public interface Channel {
    /**
     * Sends everything of the lane that may go now. A channel that writes one entry of a log for many
     * segments overrides this method, takes entries until there is none, and writes them at once. By default each segment
     * is sent by itself, by the two methods below.
     *
     * <p>An exception says that the channel lost what it took: the lane fails.
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
     * @param delivery told once, when the channel has taken the notification for good or failed
     */
    void send(Partition partition, Notification notification, long earliest, long latest, Delivery delivery);

    /**
     * Sends the records of one segment as plain records, in order.
     *
     * @param records the records; valid during the call only
     * @param delivery told once, when the channel has taken all of them for good or failed
     */
    void send(Partition partition, SegmentRecords records, Delivery delivery);

    /**
     * The lane has failed: of what is not yet sent nothing will be, until the lane is discarded. Told once per failure, from any thread; must not block. For
     * channels that owe an answer to whoever appended.
     */
    default void failed(RuntimeException cause) {}

    /**
     * Requests that the channel sends what it holds back, without waiting for it. Called after sends outside a flush, by the thread that sent; must not block, nor throw. For
     * channels that hold anything back.
     */
    default void requestFlush() {}

    /**
     * The longest time from a send until the channel reports the delivery or its failure. After a failure the notification does not become visible, as long as the process
     * runs. The lane adds this time to a notification's age before it sends it.
     */
    default Duration longestDelivery() {
        return Duration.ZERO;
    }

    /** Sends what is buffered and waits until everything sent before is acknowledged or failed. Called by the lane's owner in a flush. */
    void flush();

    /** What may go of a lane. Used within one call, by its thread. */
    interface Outgoing {
        /**
         * The next segment, in append order per partition. Once it is taken, the channel owes the answer
         * that {@link Delivery} describes.
         *
         * @return null when there is no more, or the lane has failed meanwhile
         */
        @Nullable
        Entry next();
    }

    /** A segment to be sent. */
    interface Entry {
        /** Where to. */
        Partition partition();

        /** What refers to the segment's blob; null: its records go instead. */
        @Nullable
        Notification notification();

        /** The smallest timestamp of the records, milliseconds. */
        long earliest();

        /** The largest timestamp of the records, milliseconds. */
        long latest();

        /**
         * The records, if there is no notification. Valid until the next entry is taken or the call of
         * the channel ends.
         */
        SegmentRecords records();

        /** Told once, when the channel has taken the segment for good or failed. */
        Delivery delivery();
    }

    /** The end of one delivery. */
    interface Delivery {
        /** The channel has it for good. */
        void delivered();

        /** The channel lost it: the lane fails until it is discarded. */
        void failed(Throwable cause);

        /**
         * Whether the notification is too old to be sent: a sweeper may delete its blob before the notification is visible. A channel that holds notifications back asks
         * before it passes one on, and reports a failure instead.
         */
        default boolean isTooLate() {
            return false;
        }
    }

    /** The records of one segment, to be read once. */
    interface SegmentRecords {
        /** Number of records. */
        int count();

        /** Hands each record to a receiver, in append order. */
        void forEach(RecordReceiver receiver);
    }
}
