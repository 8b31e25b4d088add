package dev.blobshuffle.kstreams;

import dev.blobshuffle.kafka.BlobConsumer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the original records of a topic that shuffles through blobs. Stateless. */
final class BlobLog {
    private BlobLog() {}

    /**
     * Reads a topic from its start to its end.
     *
     * @param settings of a consumer
     * @return number of records
     */
    static int read(Map<String, Object> settings, String topic, Consumer<ConsumerRecord<byte[], byte[]>> receiver) {
        AtomicInteger records = new AtomicInteger();
        try (BlobConsumer<byte[], byte[]> consumer =
                new BlobConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            LogEnd.read(consumer, partitions, record -> {
                receiver.accept(record);
                records.incrementAndGet();
            });
        }
        return records.get();
    }
}
