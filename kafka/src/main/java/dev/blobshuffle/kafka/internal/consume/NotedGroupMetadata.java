package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.kafka.internal.position.GivenUp;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * A consumer's group metadata that also carries what the consumer leaves out ({@link GivenUp}). An
 * application passes it from its consumer to {@code sendOffsetsToTransaction} of its producer,
 * which knows nothing else of the consumer. So the commit of the transaction keeps the notes.
 * Thread-safe.
 */
public final class NotedGroupMetadata extends ConsumerGroupMetadata {
    private final Map<TopicPartition, GivenUp> notes;

    /** @param notes changed by the consumer as it goes on; thread-safe */
    @SuppressWarnings("deprecation") // applications need not make one, but only who makes one can add to it
    public NotedGroupMetadata(ConsumerGroupMetadata real, Map<TopicPartition, GivenUp> notes) {
        super(real.groupId(), real.generationId(), real.memberId(), real.groupInstanceId());
        this.notes = notes;
    }

    /**
     * A commit of a real offset with what is left out from there on, if the metadata comes from a
     * consumer that knows.
     */
    public static OffsetAndMetadata keepNotes(
            ConsumerGroupMetadata group, TopicPartition partition, OffsetAndMetadata commit) {
        GivenUp note = group instanceof NotedGroupMetadata noted ? noted.notes.get(partition) : null;
        return note == null ? commit : note.in(commit);
    }
}
