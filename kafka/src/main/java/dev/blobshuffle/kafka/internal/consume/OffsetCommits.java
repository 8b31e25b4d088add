package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.position.CommitTranslation;
import dev.blobshuffle.kafka.internal.position.DeliveredRange;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Commits the consumer's positions, translated from virtual to real offsets. Under Kafka Streams'
 * at-least-once, a commit first makes everything durable that the thread has appended, and fails if
 * records were lost. Owned by the consumer's thread.
 */
public final class OffsetCommits {
    private final Consumer<byte[], byte[]> delegate;
    private final AssignedPartitions partitions;
    private final ClientPair pair;
    private final ConsumerInterceptorChain<?, ?> interceptors;

    public OffsetCommits(
            Consumer<byte[], byte[]> delegate,
            AssignedPartitions partitions,
            ClientPair pair,
            ConsumerInterceptorChain<?, ?> interceptors) {
        this.delegate = delegate;
        this.partitions = partitions;
        this.pair = pair;
        this.interceptors = interceptors;
    }

    /** Commits and waits for the broker, with the consumer's default timeout. */
    public void sync(Map<TopicPartition, OffsetAndMetadata> offsets) {
        pair.drainBeforeCommit();
        delegate.commitSync(toReal(offsets));
        committed(offsets);
    }

    /** Commits and waits for the broker. */
    public void sync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        pair.drainBeforeCommit();
        delegate.commitSync(toReal(offsets), timeout);
        committed(offsets);
    }

    /** Commits asynchronously; the callback gets the caller's own map. */
    public void async(Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable OffsetCommitCallback callback) {
        pair.drainBeforeCommit();
        delegate.commitAsync(toReal(offsets), (real, failure) -> {
            if (failure == null) {
                committed(offsets);
            }
            if (callback != null) {
                callback.onComplete(offsets, failure);
            }
        });
    }

    private void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
        pair.committed();
        interceptors.onCommit(offsets);
    }

    private Map<TopicPartition, OffsetAndMetadata> toReal(Map<TopicPartition, OffsetAndMetadata> offsets) {
        Map<TopicPartition, OffsetAndMetadata> real = new HashMap<>();
        offsets.forEach((partition, position) -> real.put(partition, toReal(partition, position)));
        return real;
    }

    private OffsetAndMetadata toReal(TopicPartition partition, OffsetAndMetadata position) {
        if (!partitions.isVirtual(partition)) {
            return position;
        }
        PartitionProgress progress = partitions.of(partition);
        DeliveredRange delivered = progress == null ? null : progress.delivered;
        OffsetAndMetadata real = CommitTranslation.toReal(position, delivered);
        if (delivered != null) {
            delivered.committed(real.offset());
        }
        return real;
    }
}
