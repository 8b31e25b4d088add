package dev.blobshuffle.kafka.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls that Kafka's consumer refuses, in the whole or after the first partitions. */
class RefusedCallsTest {
    private static final TopicPartition FIRST = new TopicPartition("blob-t", 0);
    private static final TopicPartition LAST = new TopicPartition("blob-t", 1);
    private static final TopicPartition UNKNOWN = new TopicPartition("blob-t", 9);

    private final MemoryEngine memory = new MemoryEngine();
    private final MockConsumer<byte[], byte[]> real = new InOrder();
    private final ShuffleConsumer<byte[], byte[]> consumer = ByteConsumers.of(real, memory.engine, memory.time);

    /** Pauses in order, as Kafka's consumers do. */
    private static final class InOrder extends MockConsumer<byte[], byte[]> {
        InOrder() {
            super("earliest");
        }

        @Override
        public synchronized void pause(Collection<TopicPartition> partitions) {
            partitions.forEach(each -> super.pause(List.of(each)));
        }

        @Override
        public synchronized void resume(Collection<TopicPartition> partitions) {
            partitions.forEach(each -> super.resume(List.of(each)));
        }
    }

    @BeforeEach
    void assign() {
        real.updateBeginningOffsets(Map.of(FIRST, 0L, LAST, 0L));
    }

    @AfterEach
    void close() {
        consumer.close();
        memory.close();
    }

    @Test
    void partitionsBeforeOneThatIsNotAssignedArePausedAndResumed() {
        consumer.assign(List.of(FIRST, LAST));
        assertThatThrownBy(() -> consumer.pause(List.of(FIRST, UNKNOWN, LAST)))
                .isInstanceOf(IllegalStateException.class);
        assertThat(consumer.paused()).containsExactly(FIRST);

        assertThatThrownBy(() -> consumer.resume(List.of(FIRST, UNKNOWN))).isInstanceOf(IllegalStateException.class);
        assertThat(consumer.paused()).isEmpty();
    }

    @Test
    void subscriptionWithoutAListenerIsRefusedAsAnArgument() {
        assertThatThrownBy(() -> consumer.subscribe(List.of("blob-t"), null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("listener is null");
        assertThat(consumer.subscription()).isEmpty();
    }
}
