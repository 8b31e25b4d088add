package dev.blobshuffle.kafka.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InterceptedPollTest {
    private static final TopicPartition PLAIN = new TopicPartition("other", 0);

    private final MemoryEngine memory = new MemoryEngine();
    private final MockConsumer<byte[], byte[]> real = new MockConsumer<>("earliest");
    private final List<Integer> seen = new ArrayList<>();
    private final ShuffleConsumer<byte[], byte[]> consumer = new ShuffleConsumer<>(intercepted());

    private ConsumerParts<byte[], byte[]> intercepted() {
        ConsumerParts<byte[], byte[]> parts =
                ByteConsumers.parts(real, memory.engine, ByteConsumers.wiring(memory.time), null, () -> {});
        return new ConsumerParts<>(
                parts.delegate(),
                parts.engine(),
                parts.wiring(),
                parts.deserializer(),
                new ConsumerInterceptorChain<>(List.of(new Counting())),
                parts.autoCommit(),
                parts.apiTimeout(),
                parts.readers(),
                parts.reset(),
                parts.metrics(),
                parts.release());
    }

    @AfterEach
    void close() {
        consumer.close();
        memory.close();
    }

    /** As in Kafka's consumer. */
    @Test
    void interceptorsDoNotSeePollsWithoutRecords() {
        consumer.assign(List.of(PLAIN));
        real.updateBeginningOffsets(Map.of(PLAIN, 0L));
        assertThat(consumer.poll(Duration.ZERO).count()).isZero();
        assertThat(seen).isEmpty();

        real.addRecord(new ConsumerRecord<>(PLAIN.topic(), 0, 0, new byte[1], new byte[1]));
        assertThat(consumer.poll(Duration.ZERO).count()).isEqualTo(1);
        assertThat(consumer.poll(Duration.ZERO).count()).isZero();
        assertThat(seen).containsExactly(1);
    }

    private final class Counting implements ConsumerInterceptor<byte[], byte[]> {
        @Override
        public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
            seen.add(records.count());
            return records;
        }

        @Override
        public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> settings) {}
    }
}
