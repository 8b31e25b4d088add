package dev.blobshuffle.kafka.internal.client;

import dev.blobshuffle.kafka.internal.position.DeliveredRange;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Connects the producer and the consumer of one stream thread. Under at-least-once, commits go
 * through the consumer, so the consumer drains the producer first. Only the consumer's
 * {@code unsubscribe} shows that the tasks were given up, so it notifies the producer. A producer
 * that sends offsets asks the consumer which records it returned. The pair outlives both clients,
 * because Kafka Streams makes new ones after a rollback. Each client registers itself. All calls
 * but {@link #hasConsumer()} come from the stream thread.
 */
public final class ClientPair {
    private volatile @Nullable ProducerSide producer;
    private volatile @Nullable ConsumerSide consumer;
    private final AtomicInteger poisonings = new AtomicInteger();

    private final boolean alone;

    private ClientPair(boolean alone) {
        this.alone = alone;
    }

    /** A pair for a client without a partner. */
    public static ClientPair alone() {
        return new ClientPair(true);
    }

    /**
     * Whether a wrapped consumer has joined. Without it, notifications would reach processors as if
     * they were records.
     */
    public boolean hasConsumer() {
        return consumer != null;
    }

    /**
     * Checks, before the first notification is written, that the thread's consumer understands
     * notifications.
     *
     * @throws IllegalStateException fatal: the consumer is not wrapped
     */
    public void requireConsumer(String topic) {
        if (!alone && consumer == null) {
            throw new IllegalStateException(
                    "Cannot send to " + topic + " through blobs: the consumer of this thread is not wrapped, so that"
                            + " processors would get notifications for records. With group.protocol=streams set Kafka Streams' consumer wrapper setting"
                            + " as the guide says, or use group.protocol=classic.");
        }
    }

    public void join(ProducerSide side) {
        producer = side;
    }

    public void join(ConsumerSide side) {
        consumer = side;
    }

    public void leave(ProducerSide side) {
        if (producer == side) {
            producer = null;
        }
    }

    public void leave(ConsumerSide side) {
        if (consumer == side) {
            consumer = null;
        }
    }

    /**
     * Makes everything durable that the thread has appended; otherwise its inputs must not be
     * committed.
     *
     * @throws CommitFailedException recoverable: the tasks roll back to the last commit
     */
    public void drainBeforeCommit() {
        ProducerSide side = producer;
        if (side != null) {
            side.drainBeforeCommit();
        }
    }

    /**
     * Called when the consumer has given its tasks up: no commit will include what they appended.
     */
    public void tasksGivenUp() {
        ProducerSide side = producer;
        if (side != null) {
            side.discardUncommitted();
        }
    }

    /**
     * The range that the paired consumer has returned from a partition, if there is a consumer and
     * it knows.
     */
    @Nullable
    public DeliveredRange delivered(TopicPartition partition) {
        ConsumerSide side = consumer;
        return side == null ? null : side.delivered(partition);
    }

    /** Counts a lost batch; a commit resets the count. */
    public int poisoned() {
        return poisonings.incrementAndGet();
    }

    public void committed() {
        poisonings.set(0);
    }

    /** The calls that a producer serves for its consumer. */
    public interface ProducerSide {
        void drainBeforeCommit();

        void discardUncommitted();
    }

    /** The calls that a consumer serves for its producer. */
    public interface ConsumerSide {
        @Nullable
        DeliveredRange delivered(TopicPartition partition);
    }

    /**
     * The pairs of one client supplier. A producer and a consumer form a pair if their client ids
     * are equal up to the last dash. Thread-safe.
     */
    public static final class Registry {
        private final Map<String, ClientPair> pairs = new ConcurrentHashMap<>();

        /**
         * An empty registry. Each supplier needs its own, because two applications of a process may
         * use the same names.
         */
        public Registry() {}

        /**
         * The pair of a stream thread's client.
         *
         * @param clientId such as {@code app-uuid-StreamThread-1-producer}
         */
        public ClientPair of(String clientId) {
            int dash = clientId.lastIndexOf('-');
            return pairs.computeIfAbsent(
                    dash < 0 ? clientId : clientId.substring(0, dash), thread -> new ClientPair(false));
        }
    }
}
