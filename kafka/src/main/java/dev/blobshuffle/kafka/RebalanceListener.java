package dev.blobshuffle.kafka;

import java.util.Collection;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Stands between the real consumer and the application's listener: the application is told first when partitions go, because it commits then, and last when they
 * come, because it may ask for positions. Owned by the consumer's thread.
 */
final class RebalanceListener implements ConsumerRebalanceListener {
    private final @Nullable ConsumerRebalanceListener user;
    private final AssignedPartitions partitions;
    private final Hooks hooks;

    RebalanceListener(@Nullable ConsumerRebalanceListener user, AssignedPartitions partitions, Hooks hooks) {
        this.user = user;
        this.partitions = partitions;
        this.hooks = hooks;
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
        try {
            hooks.beforePartitionsGo();
            if (user != null) {
                user.onPartitionsRevoked(revoked);
            }
        } finally {
            partitions.drop(revoked);
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> lost) {
        try {
            if (user != null) {
                user.onPartitionsLost(lost);
            }
        } finally {
            partitions.drop(lost);
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
        partitions.drop(assigned);
        partitions.reconcile();
        hooks.startAssigned();
        if (user != null) {
            user.onPartitionsAssigned(assigned);
        }
    }

    /** What the consumer does by itself when partitions go and come. */
    interface Hooks {
        void beforePartitionsGo();

        void startAssigned();
    }
}
