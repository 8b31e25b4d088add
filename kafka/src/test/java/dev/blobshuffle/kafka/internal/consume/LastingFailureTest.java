package dev.blobshuffle.kafka.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.kafka.internal.log.NotificationRecord;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A failure that lasts, in an application that logs it and polls again, as listener containers do:
 * a notification that this consumer's settings do not include.
 */
class LastingFailureTest {
    private static final TopicPartition BAD = new TopicPartition("other", 0);
    private static final TopicPartition GOOD = new TopicPartition("other", 1);
    private static final Duration LONG = Duration.ofSeconds(10);

    private final MemoryEngine memory = new MemoryEngine();
    private final Repeating real = new Repeating();
    private final ShuffleConsumer<byte[], byte[]> consumer = ByteConsumers.of(real, memory.engine, memory.time);

    @BeforeEach
    void assign() {
        consumer.assign(Set.of(BAD, GOOD));
        real.updateBeginningOffsets(Map.of(BAD, 0L, GOOD, 0L));
        real.unusable = notification();
    }

    @AfterEach
    void close() {
        consumer.close();
        memory.close();
    }

    @Test
    void isThrownAtOnceAndThenOncePerSecond() {
        assertThatThrownBy(() -> consumer.poll(LONG)).isInstanceOf(KafkaException.class);
        long thrown = memory.time.nanos();

        assertThatThrownBy(() -> consumer.poll(LONG)).isInstanceOf(KafkaException.class);
        assertThat(Duration.ofNanos(memory.time.nanos() - thrown)).isBetween(Duration.ofMillis(990), LONG);
    }

    @Test
    void doesNotKeepBackRecordsOfOtherPartitions() {
        assertThatThrownBy(() -> consumer.poll(LONG)).isInstanceOf(KafkaException.class);

        real.addRecord(new ConsumerRecord<>(GOOD.topic(), GOOD.partition(), 0, new byte[1], new byte[1]));
        assertThat(consumer.poll(LONG).records(GOOD)).hasSize(1);
    }

    @Test
    void isThrownAtTheEndOfAShortPoll() {
        assertThatThrownBy(() -> consumer.poll(LONG)).isInstanceOf(KafkaException.class);
        assertThatThrownBy(() -> consumer.poll(Duration.ofMillis(1))).isInstanceOf(KafkaException.class);
        assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).isInstanceOf(KafkaException.class);
    }

    private static ConsumerRecord<byte[], byte[]> notification() {
        ConsumerRecord<byte[], byte[]> record =
                new ConsumerRecord<>(BAD.topic(), BAD.partition(), 0, null, new byte[] {(byte) 0xB5, 2});
        record.headers().add(NotificationRecord.HEADER, new byte[] {1});
        return record;
    }

    /** Kafka's own mock, which returns one record again after each seek to it. */
    private static final class Repeating extends MockConsumer<byte[], byte[]> {
        private ConsumerRecord<byte[], byte[]> unusable;

        Repeating() {
            super("earliest");
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            if (position(BAD) == 0) {
                addRecord(unusable);
            }
            return super.poll(timeout);
        }
    }
}
