package dev.blobshuffle.kstreams.internal.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.streams.errors.StreamsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RestoreFailuresTest {
    private static final TopicPartition CHANGELOG = new TopicPartition("application-store-changelog", 0);

    static Stream<Throwable> deadly() {
        return Stream.of(
                new InvalidSettingsException("Cannot restore a table: its topic shuffles through blobs."),
                new BlobMissingException("a blob"),
                new BlobCorruptException("a blob"),
                new IllegalStateException("not assigned"),
                new NullPointerException("a defect"),
                new NoClassDefFoundError("a class"),
                new StackOverflowError());
    }

    @ParameterizedTest
    @MethodSource("deadly")
    void whatEndsAStateUpdaterBecomesWhatItHandles(Throwable failure) {
        Consumer<byte[], byte[]> consumer = RestoreFailures.handled(new FailingConsumer(failure));

        for (Throwable thrown : List.of(
                catchThrowable(() -> consumer.poll(Duration.ZERO)),
                catchThrowable(() -> consumer.assign(Set.of(CHANGELOG))),
                catchThrowable(() -> consumer.position(CHANGELOG)))) {
            assertThat(thrown)
                    .isInstanceOf(StreamsException.class)
                    .hasMessageContaining("Cannot restore state")
                    .hasCause(failure);
        }
    }

    /** Kafka Streams retries after a timeout, and restores from the start after a lost offset. */
    static Stream<KafkaException> known() {
        return Stream.of(
                new TimeoutException("slow"),
                new NoOffsetForPartitionException(CHANGELOG),
                new KafkaException("a broker"),
                new StreamsException("a task"));
    }

    @ParameterizedTest
    @MethodSource("known")
    void whatKafkaStreamsTellsApartPasses(KafkaException failure) {
        Consumer<byte[], byte[]> consumer = RestoreFailures.handled(new FailingConsumer(failure));

        assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).isSameAs(failure);
        assertThatThrownBy(() -> consumer.position(CHANGELOG)).isSameAs(failure);
    }

    @Test
    void interruptKeepsTheFlag() {
        Consumer<byte[], byte[]> consumer =
                RestoreFailures.handled(new FailingConsumer(new InterruptException("stop")));

        assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).isInstanceOf(InterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void everythingElsePasses() {
        MockConsumer<byte[], byte[]> real = new MockConsumer<>("earliest");
        Consumer<byte[], byte[]> consumer = RestoreFailures.handled(real);

        consumer.assign(Set.of(CHANGELOG));
        assertThat(consumer.assignment()).containsExactly(CHANGELOG);
        consumer.close();
        assertThat(real.closed()).isTrue();
    }

    private static final class FailingConsumer extends MockConsumer<byte[], byte[]> {
        private final Throwable failure;

        FailingConsumer(Throwable failure) {
            super("earliest");
            this.failure = failure;
        }

        @Override
        public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            throw thrown(failure);
        }

        @Override
        public void assign(Collection<TopicPartition> partitions) {
            throw thrown(failure);
        }

        @Override
        public long position(TopicPartition partition) {
            throw thrown(failure);
        }

        private static RuntimeException thrown(Throwable failure) {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) failure;
        }
    }
}
