package dev.blobshuffle.kafka.internal.consume;

import java.util.Collection;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Stands between the real consumer and the application's listener. When partitions go it calls the
 * application first, because the application commits then; when they come it calls the application
 * last, because the application may ask for positions. What the hooks do never keeps the
 * application from being called. Owned by the consumer's thread.
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
     * What the consumer does by itself when partitions go and come. Neither throws what belongs to
     * the poll around the callback: wakeups, interrupts, failed questions.
     */
    public interface Hooks {
        /** Before the application's listener hears that partitions were revoked. */
        void beforePartitionsGo();

        /** Before the application's listener hears of new partitions. */
        void startAssigned();
    }
}
