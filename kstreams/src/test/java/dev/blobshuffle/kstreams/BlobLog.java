package dev.blobshuffle.kstreams;

import dev.blobshuffle.kafka.BlobConsumer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the original records of a topic that shuffles through blobs. Stateless. */
final class BlobLog {
    private static final Duration TIMEOUT = Duration.ofSeconds(240);

    private BlobLog() {}

    /**
     * Reads a topic from its begin to its end.
     *
     * @param settings of a consumer
     * @return how many records it holds
     */
    static int read(Map<String, Object> settings, String topic, Consumer<ConsumerRecord<byte[], byte[]>> receiver) {
        int records = 0;
        try (BlobConsumer<byte[], byte[]> consumer =
                new BlobConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long deadline = System.nanoTime() + TIMEOUT.toNanos();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
                    receiver.accept(record);
                    records++;
                }
                if (System.nanoTime() > deadline) {
                    throw new AssertionError("cannot read to the end of " + ends + " in " + TIMEOUT);
                }
            }
        }
        return records;
    }
}
