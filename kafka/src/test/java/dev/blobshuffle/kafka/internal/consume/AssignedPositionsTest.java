package dev.blobshuffle.kafka.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which positions of an assigned consumer are committed, and when. */
class AssignedPositionsTest {
    private static final TopicPartition FIRST = new TopicPartition("blob-t", 0);
    private static final TopicPartition LAST = new TopicPartition("blob-t", 1);

    private final MemoryEngine memory = new MemoryEngine();
    private final Committing real = new Committing();
    private final ShuffleConsumer<byte[], byte[]> consumer = new ShuffleConsumer<>(
            ByteConsumers.parts(real, memory.engine, ByteConsumers.wiring(memory.time), Duration.ofHours(1), () -> {}));

    /** Counts the commits that do not wait. */
    private static final class Committing extends MockConsumer<byte[], byte[]> {
        private int commits;

        Committing() {
            super("earliest");
        }

        @Override
        public synchronized void commitAsync(
                Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            commits++;
            super.commitAsync(offsets, callback);
        }
    }

    @BeforeEach
    void begin() {
        real.updateBeginningOffsets(Map.of(FIRST, 0L, LAST, 0L));
    }

    @AfterEach
    void close() {
        consumer.close();
        memory.close();
    }

    @Test
    void anotherAssignmentCommitsNothingBeforeTheIntervalHasPassed() {
        consumer.assign(List.of(FIRST));
        real.addRecord(new ConsumerRecord<>("blob-t", 0, 0, new byte[1], new byte[1]));
        assertThat(consumer.poll(Duration.ZERO).count()).isEqualTo(1);
        consumer.assign(List.of(FIRST, LAST));

        assertThat(real.commits).isZero();
    }

    @Test
    void positionOfASoughtPartitionMakesThoseOfTheOthersKnown() {
        consumer.assign(List.of(FIRST, LAST));
        consumer.seekToBeginning(List.of(FIRST));
        assertThat(consumer.position(FIRST)).isZero();
        consumer.commitSync();

        assertThat(real.committed(Set.of(LAST)).get(LAST))
                .as("the new position")
                .isNotNull();
    }
}
