package dev.blobshuffle.kafka.internal.consume;

import java.util.Collection;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Calls the consumer's hooks and the application's rebalance listener in order. When partitions are
 * revoked, the application comes first, because it commits then. When partitions are assigned, it
 * comes last, because it may query positions. A failing hook never prevents the call of the
 * application. Owned by the consumer's thread.
 */
public final class RebalanceListener implements ConsumerRebalanceListener {
    private final @Nullable ConsumerRebalanceListener user;
    private final AssignedPartitions partitions;
    private final Hooks hooks;

    public RebalanceListener(@Nullable ConsumerRebalanceListener user, AssignedPartitions partitions, Hooks hooks) {
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
            partitions.revoked(revoked);
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> lost) {
        try {
            if (user != null) {
                user.onPartitionsLost(lost);
            }
        } finally {
            partitions.revoked(lost);
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
        partitions.assigned(assigned);
        hooks.startAssigned();
        if (user != null) {
            user.onPartitionsAssigned(assigned);
        }
    }

    /**
     * The consumer's own work during a rebalance. A hook throws nothing that belongs to the
     * enclosing poll: no wakeups, interrupts or failed queries.
     */
    public interface Hooks {
        /** Called before the application's listener learns of revoked partitions. */
        void beforePartitionsGo();

        /** Called before the application's listener learns of new partitions. */
        void startAssigned();
    }
}
