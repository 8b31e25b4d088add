package dev.blobshuffle.kstreams;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Reads partitions up to their ends at the start of the reading. Stateless. */
public final class LogEnd {
    private static final Duration TIMEOUT = Duration.ofSeconds(240);

    private LogEnd() {}

    /**
     * Reads partitions from their starts, and assigns them to the consumer.
     *
     * @param receiver gets the records, in order per partition
     */
    public static <T> void read(
            Consumer<T, T> consumer,
            Collection<TopicPartition> partitions,
            java.util.function.Consumer<ConsumerRecord<T, T>> receiver) {
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        readOn(consumer, consumer.endOffsets(partitions), receiver);
    }

    /**
     * Continues from the positions of a consumer.
     *
     * @param ends of each partition to read
     * @param receiver gets the records, in order per partition
     */
    public static <T> void readOn(
            Consumer<T, T> consumer,
            Map<TopicPartition, Long> ends,
            java.util.function.Consumer<ConsumerRecord<T, T>> receiver) {
        await("the ends " + ends)
                .atMost(TIMEOUT)
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> {
                    if (isAt(ends, consumer)) {
                        return true;
                    }
                    consumer.poll(Duration.ofMillis(50)).forEach(receiver);
                    return isAt(ends, consumer);
                });
    }

    private static boolean isAt(Map<TopicPartition, Long> ends, Consumer<?, ?> consumer) {
        return ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    }
}
