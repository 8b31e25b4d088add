package dev.blobshuffle.core.internal.membership;

import dev.blobshuffle.core.internal.format.Partition;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** The members of a shuffle, and this instance's part among them. Thread-safe. */
public interface Membership extends ZoneMap, AutoCloseable {
    /**
     * Starts to announce this instance and to receive the announcements of others, in the
     * background.
     *
     * @param self this instance as others reach it; empty if it does not answer
     */
    void join(Optional<Member> self);

    /**
     * Runs an action whenever an announcement is refused. By default no announcement is refused.
     */
    default void onRefusal(Runnable action) {}

    /**
     * Shows operators one line of text about the blobs that this instance combines. By default
     * nothing is shown.
     *
     * @param text returns the line, empty: none; called by any thread, and must not block
     */
    default void showCombining(Supplier<Optional<String>> text) {}

    /**
     * Whether this instance currently receives announcements of others. If not, records are still
     * safe, but may be packed and downloaded less efficiently. Always true for listed members.
     */
    default boolean isConnected() {
        return true;
    }

    /** Registers a consumer of this instance, which reads nothing yet. */
    Reading reading();

    /** Leaves the membership; others stop asking this instance. Idempotent. */
    @Override
    void close();

    /** No members: this instance announces nothing and knows no zones. */
    static Membership none() {
        return of(new FixedZoneMap(List.of()));
    }

    /** The listed members; this instance does not announce itself. */
    static Membership of(FixedZoneMap listed) {
        return new FixedMembership(listed);
    }

    /** The partitions that one consumer reads. Owned by the consumer's thread. */
    interface Reading extends AutoCloseable {
        /**
         * Reports the consumer's subscribed topics that shuffle through blobs, before it reads
         * their partitions. None if partitions are assigned manually.
         */
        default void subscribed(Set<String> topics) {}

        /** Reports the partitions that the consumer reads from now on. */
        void reads(Set<Partition> partitions);

        /** Reports that the consumer reads no partitions any more. Idempotent. */
        @Override
        void close();
    }
}
