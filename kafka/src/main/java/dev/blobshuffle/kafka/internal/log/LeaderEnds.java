package dev.blobshuffle.kafka.internal.log;

import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Finds the ends of the leaders' logs, including records above the high watermark. Kafka clients
 * can query only the high watermark. But a consumer lets the leader validate its position
 * (KIP-320). If the position is beyond the end of the position's epoch, the leader answers with
 * that end. The end of the current epoch is the end of the log, so the consumer uses the largest
 * possible position.
 *
 * <p>A consumer keeps the answer of one broker at a time. If another broker answers meanwhile, the
 * consumer logs an error with a stack trace. So this class queries one leader after the other.
 * Reads no records. Owned by one thread.
 */
final class LeaderEnds {
    private static final Duration POLL = Duration.ofMillis(100);

    /** Time for a leader to answer before the next one is queried. Usually one poll is enough. */
    private static final Duration TURN = Duration.ofSeconds(10);

    private final Map<String, Object> settings;
    private final Time time;

    LeaderEnds(Map<String, ?> client, Time time) {
        this.time = time;
        settings = new HashMap<>(client);
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
    }

    /**
     * The ends of logs. Partitions are missing if their leader does not answer in time or has
     * changed.
     *
     * @param epochs of the leaders
     * @param leaders the nodes that lead the partitions; partitions of one node are queried
     *     together
     */
    Map<TopicPartition, Long> of(
            Map<TopicPartition, Integer> epochs, Map<TopicPartition, Integer> leaders, Duration timeout) {
        Map<TopicPartition, Long> ends = new HashMap<>();
        if (epochs.isEmpty()) {
            return ends;
        }
        Deque<Set<TopicPartition>> turns = turns(epochs.keySet(), leaders);
        long deadline = time.nanos() + timeout.toNanos();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            while (!turns.isEmpty() && time.nanos() - deadline < 0) {
                Set<TopicPartition> rest = turns.remove();
                ask(consumer, rest, epochs, ends, deadline);
                if (!rest.isEmpty()) {
                    turns.add(rest); // Do not let a silent leader delay the others.
                }
            }
        }
        return ends;
    }

    private static Deque<Set<TopicPartition>> turns(
            Set<TopicPartition> partitions, Map<TopicPartition, Integer> leaders) {
        Map<Optional<Integer>, Set<TopicPartition>> ofLeader = new HashMap<>();
        for (TopicPartition partition : partitions) {
            ofLeader.computeIfAbsent(Optional.ofNullable(leaders.get(partition)), key -> new HashSet<>())
                    .add(partition);
        }
        return new ArrayDeque<>(ofLeader.values());
    }

    /** Asks a leader for as long as its turn is. */
    private void ask(
            KafkaConsumer<?, ?> consumer,
            Set<TopicPartition> rest,
            Map<TopicPartition, Integer> epochs,
            Map<TopicPartition, Long> ends,
            long deadline) {
        long end = Math.min(deadline - time.nanos(), TURN.toNanos()) + time.nanos();
        seek(consumer, rest, epochs);
        while (!rest.isEmpty() && time.nanos() - end < 0) {
            try {
                consumer.poll(POLL);
            } catch (LogTruncationException e) {
                take(e.divergentOffsets(), epochs, ends);
                rest.removeAll(e.partitions());
                seek(consumer, rest, epochs);
            } catch (OffsetOutOfRangeException e) { // The leader did not check the position.
                rest.removeAll(e.partitions());
                seek(consumer, rest, epochs);
            }
        }
    }

    private static void seek(
            KafkaConsumer<?, ?> consumer, Set<TopicPartition> partitions, Map<TopicPartition, Integer> epochs) {
        consumer.assign(partitions);
        partitions.forEach(partition -> consumer.seek(
                partition, new OffsetAndMetadata(Long.MAX_VALUE, Optional.ofNullable(epochs.get(partition)), "")));
    }

    private static void take(
            Map<TopicPartition, OffsetAndMetadata> found,
            Map<TopicPartition, Integer> epochs,
            Map<TopicPartition, Long> ends) {
        found.forEach((partition, end) -> {
            if (end.leaderEpoch().equals(Optional.ofNullable(epochs.get(partition)))) {
                ends.put(partition, end.offset());
            }
        });
    }
}
