package dev.blobshuffle.kafka.internal.client;

import dev.blobshuffle.kafka.internal.position.DeliveredRange;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The producer and the consumer of one stream thread, which must know of each other: under
 * at-least-once the commit passes the consumer, and only its {@code unsubscribe} tells that tasks
 * were given up; and the producer that sends offsets asks the consumer what it handed out. It
 * outlives both clients, since Kafka Streams makes new ones after a rollback. Each side registers
 * itself; all calls but {@link #hasConsumer()} come from the stream thread.
 */
public final class ClientPair {
    private volatile @Nullable ProducerSide producer;
    private volatile @Nullable ConsumerSide consumer;
    private final AtomicInteger poisonings = new AtomicInteger();

    private final boolean alone;

    private ClientPair(boolean alone) {
        this.alone = alone;
    }

    /** A pair in which a client stays alone. */
    public static ClientPair alone() {
        return new ClientPair(true);
    }

    /**
     * Whether a wrapped consumer has joined: without one, notifications would reach processors as
     * if they were records.
     */
    public boolean hasConsumer() {
        return consumer != null;
    }

    /**
     * Checks that the thread's consumer understands notifications before the first one is written.
     *
     * @throws IllegalStateException fatal: it is not wrapped
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
     * Everything that the thread appended is durable, or the commit of its inputs must not happen.
     *
     * @throws CommitFailedException recoverable: the tasks roll back to the last commit
     */
    public void drainBeforeCommit() {
        ProducerSide side = producer;
        if (side != null) {
            side.drainBeforeCommit();
        }
    }

    /** The consumer gave its tasks up: what they appended belongs to no commit any more. */
    public void tasksGivenUp() {
        ProducerSide side = producer;
        if (side != null) {
            side.discardUncommitted();
        }
    }

    /** What the paired consumer handed out of a partition, if there is one and it knows. */
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

    /** What a producer does for its consumer. */
    public interface ProducerSide {
        void drainBeforeCommit();

        void discardUncommitted();
    }

    /** What a consumer does for its producer. */
    public interface ConsumerSide {
        @Nullable
        DeliveredRange delivered(TopicPartition partition);
    }

    /**
     * The pairs of one supplier: producer and consumer match by client id up to its last dash.
     * Thread-safe.
     */
    public static final class Registry {
        private final Map<String, ClientPair> pairs = new ConcurrentHashMap<>();

        /**
         * An empty registry; one per supplier, since two applications of a process may use the same
         * names.
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
