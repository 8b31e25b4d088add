package dev.blobshuffle.kafka.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.time.SystemTime;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A shutdown hook that calls {@code close} instead of {@code wakeup} is a common mistake. Kafka's
 * consumer rejects the call, and its thread goes on.
 */
class ConsumerThreadsTest {
    private static final TopicPartition BLOBS = new TopicPartition("blob-t", 0);

    private final SystemTime time = new SystemTime();
    private final MemoryBlobStore store = new MemoryBlobStore("threads", 1 << 20);
    private final Engine engine = ShuffleEngine.builder(store, time).build();
    private final HeldConsumer real = new HeldConsumer();
    private final AtomicInteger releases = new AtomicInteger();
    private final ShuffleConsumer<byte[], byte[]> consumer = new ShuffleConsumer<>(
            ByteConsumers.parts(real, engine, ByteConsumers.wiring(time), null, releases::incrementAndGet));

    @AfterEach
    void close() {
        real.goOn.complete(null);
        consumer.close();
        engine.close();
        store.close();
        time.close();
    }

    @Test
    void callsOfAnotherThreadLeaveTheConsumerAsItIs() throws Exception {
        consumer.assign(List.of(BLOBS));
        real.updateBeginningOffsets(Map.of(BLOBS, 0L));
        CompletableFuture<Integer> taken = CompletableFuture.supplyAsync(
                () -> consumer.poll(Duration.ofMinutes(1)).count());
        real.inPoll.get(1, TimeUnit.MINUTES);

        assertThatThrownBy(consumer::close).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(consumer::unsubscribe).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).isInstanceOf(ConcurrentModificationException.class);
        assertThat(releases).as("the parts are still open").hasValue(0);
        real.goOn.complete(null);

        assertThat(taken.get(1, TimeUnit.MINUTES)).isEqualTo(1);
        consumer.close();
        assertThat(real.closed()).isTrue();
        assertThat(releases).hasValue(1);
    }

    @Test
    void closeIsRefusedWhileAnotherThreadIsInsideTheRealConsumer() {
        real.inUse = true;
        assertThatThrownBy(consumer::close).isInstanceOf(ConcurrentModificationException.class);
        assertThat(releases).as("the parts are still open").hasValue(0);
        real.inUse = false;

        consumer.close();
        assertThat(real.closed()).isTrue();
        assertThat(releases).hasValue(1);
    }

    @Test
    void negativeTimeoutIsRefusedAsByKafka() {
        real.goOn.complete(null);
        assertThatThrownBy(() -> consumer.poll(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("negative");
    }

    /** Kafka's own mock, whose poll waits for the test. */
    private static final class HeldConsumer extends MockConsumer<byte[], byte[]> {
        private final CompletableFuture<Void> inPoll = new CompletableFuture<>();
        private final CompletableFuture<Void> goOn = new CompletableFuture<>();

        private boolean inUse;

        HeldConsumer() {
            super("earliest");
        }

        @Override
        public synchronized Set<TopicPartition> paused() {
            if (inUse) {
                throw new ConcurrentModificationException("KafkaConsumer is not safe for multi-threaded access.");
            }
            return super.paused();
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the test calls it meanwhile
        public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            inPoll.complete(null);
            goOn.join();
            if (assignment().contains(BLOBS) && position(BLOBS) == 0) {
                addRecord(new ConsumerRecord<>(BLOBS.topic(), BLOBS.partition(), 0, new byte[1], new byte[1]));
            }
            return super.poll(timeout);
        }
    }
}
