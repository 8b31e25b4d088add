package dev.blobshuffle.core.membership;

import dev.blobshuffle.core.format.Partition;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The members of a shuffle, and this instance's part among them. Thread-safe. */
public interface Membership extends ZoneMap, AutoCloseable {
    /**
     * Begins to tell others of this instance, and to hear of them, in the background.
     *
     * @param self where this instance answers others; empty if it does not
     */
    void join(Optional<Member> self);

    /** Runs an action whenever what somebody told was refused. By default nothing is refused. */
    default void onRefusal(Runnable action) {}

    /** A consumer of this instance, which reads nothing yet. */
    Reading reading();

    /** Leaves: others stop asking this instance. Idempotent. */
    @Override
    void close();

    /** Nobody: nothing is told, and no zone is known. */
    static Membership none() {
        return of(new FixedZoneMap(List.of()));
    }

    /** Those that are listed: this instance tells nobody of itself. */
    static Membership of(FixedZoneMap listed) {
        return new FixedMembership(listed);
    }

    /** What one consumer reads. Owned by the consumer's thread. */
    interface Reading extends AutoCloseable {
        /** Tells which topics the consumer has subscribed to, of those that shuffle through blobs, before it reads partitions of them; none where partitions are assigned by hand. */
        default void subscribed(Set<String> topics) {}

        /** Tells which partitions the consumer reads from now on. */
        void reads(Set<Partition> partitions);

        /** The consumer reads nothing any more. Idempotent. */
        @Override
        void close();
    }
}
