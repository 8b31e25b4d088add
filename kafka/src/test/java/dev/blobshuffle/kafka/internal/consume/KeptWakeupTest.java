package dev.blobshuffle.kafka.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.shuffle.Debatcher;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A look at the real consumer's positions consumes no wakeup of the application. */
class KeptWakeupTest {
    private static final TopicPartition PLAIN = new TopicPartition("plain", 0);

    private final MemoryEngine memory = new MemoryEngine();
    private final Wakeable real = new Wakeable();
    private final ShuffleConsumer<byte[], byte[]> consumer = new ShuffleConsumer<>(
            ByteConsumers.parts(real, memory.engine, ByteConsumers.wiring(memory.time), Duration.ofHours(1), () -> {}));

    /** A position is unknown here, so Kafka's consumer looks for a wakeup before it answers. */
    private static final class Wakeable extends MockConsumer<byte[], byte[]> {
        private boolean isWoken;

        Wakeable() {
            super("earliest");
        }

        @Override
        public synchronized void wakeup() {
            isWoken = true;
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            throwIfWoken();
            return super.poll(timeout);
        }

        @Override
        public synchronized long position(TopicPartition partition, Duration timeout) {
            throwIfWoken();
            return super.position(partition, timeout);
        }

        private void throwIfWoken() {
            if (isWoken) {
                isWoken = false;
                throw new WakeupException();
            }
        }
    }

    @BeforeEach
    void begin() {
        real.updateBeginningOffsets(Map.of(PLAIN, 0L));
    }

    @AfterEach
    void close() {
        consumer.close();
        memory.close();
    }

    @Test
    void aCommitOfUnknownPositionsLeavesItToTheNextPoll() {
        consumer.assign(List.of(PLAIN));
        consumer.wakeup();
        consumer.commitAsync();
        consumer.commitSync();

        assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).isInstanceOf(WakeupException.class);
    }

    /** Kafka's clients up to 3.9 query each position after a poll. */
    @Test
    void aPollOfAnOldClientLeavesItToTheNextPoll() throws Exception {
        try (Debatcher<ConsumerRecord<byte[], byte[]>> debatcher = memory.engine.debatcher("old")) {
            AssignedPartitions partitions = new AssignedPartitions(real, debatcher, ByteConsumers.wiring(memory.time));
            real.assign(List.of(PLAIN));
            partitions.reconcile();
            real.wakeup();

            assertThat(PositionsOfOldClients.after(ConsumerRecords.empty(), real, partitions))
                    .isEmpty();
            assertThatThrownBy(() -> real.poll(Duration.ZERO)).isInstanceOf(WakeupException.class);
        }
    }
}
