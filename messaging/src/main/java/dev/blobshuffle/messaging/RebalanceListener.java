package dev.blobshuffle.messaging;

import java.util.Collection;

/**
 * Receives changes of a subscriber's partitions. Called in {@link Subscriber#poll}, on its thread.
 */
public interface RebalanceListener {
    /** Does nothing. */
    RebalanceListener NONE = new RebalanceListener() {};

    /** The member owns these partitions from now on. May seek. */
    default void onAssigned(Collection<TopicPartition> partitions) {}

    /** The member gives these partitions back after this call. May commit. */
    default void onRevoked(Collection<TopicPartition> partitions) {}

    /** The member has lost these partitions; others may read them already. A commit would fail. */
    default void onLost(Collection<TopicPartition> partitions) {}
}
