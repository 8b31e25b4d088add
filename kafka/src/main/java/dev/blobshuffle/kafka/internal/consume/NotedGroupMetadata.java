package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.kafka.internal.position.GivenUp;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * A consumer's group metadata, extended by the notifications that the consumer skips
 * ({@link GivenUp}). An application passes it from its consumer to its producer's
 * {@code sendOffsetsToTransaction}. Through it, the commit of the transaction keeps the given-up
 * notifications: the producer has no other link to the consumer. Thread-safe.
 */
public final class NotedGroupMetadata extends ConsumerGroupMetadata {
    private final Map<TopicPartition, GivenUp> notes;

    /** @param notes the consumer updates them; thread-safe */
    @SuppressWarnings("deprecation") // applications need not make one, but only who makes one can add to it
    public NotedGroupMetadata(ConsumerGroupMetadata real, Map<TopicPartition, GivenUp> notes) {
        super(real.groupId(), real.generationId(), real.memberId(), real.groupInstanceId());
        this.notes = notes;
    }

    /**
     * A commit of a real offset with the given-up notifications ahead of it, if the metadata comes
     * from a consumer that knows them.
     */
    public static OffsetAndMetadata keepNotes(
            ConsumerGroupMetadata group, TopicPartition partition, OffsetAndMetadata commit) {
        GivenUp note = group instanceof NotedGroupMetadata noted ? noted.notes.get(partition) : null;
        return note == null ? commit : note.in(commit);
    }
}
