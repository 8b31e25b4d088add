package dev.blobshuffle.kafka.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.kafka.Clients;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.ConsumerWiring;
import dev.blobshuffle.kafka.internal.client.Mode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A coordinator that does not answer queries for commits for a while: polls return in time, and
 * continue as soon as it answers.
 */
class StartResolverTest {
    private static final TopicPartition P = new TopicPartition("blob-t", 0);

    private final MemoryEngine memory = new MemoryEngine();
    private final Unanswered real = new Unanswered();
    private final Consumer<byte[], byte[]> consumer = StreamsConsumer.wrap(
            real,
            memory.engine,
            new ConsumerWiring(
                    Mode.KAFKA_STREAMS_EOS,
                    "c",
                    Clients.topics(),
                    10,
                    ClientPair.alone(),
                    Membership.none(),
                    memory.time));

    @AfterEach
    void close() {
        consumer.close();
        memory.close();
    }

    @Test
    void aPollWithoutPatienceWaitsBrieflyHoweverLongTheCoordinatorIsSilent() {
        real.silent = 20;
        real.updateBeginningOffsets(Map.of(P, 0L));
        consumer.assign(List.of(P));
        for (int i = 0; i < 20; i++) {
            assertThat(consumer.poll(Duration.ZERO).isEmpty()).isTrue();
        }

        assertThat(real.commitWaits).hasSize(20).allMatch(wait -> wait.compareTo(Duration.ofSeconds(1)) <= 0);
        assertThat(real.commitWaits.get(0)).isLessThanOrEqualTo(Duration.ofMillis(50));
    }

    @Test
    void aPatientPollComesBackForTheAnswerWhileThePartitionIsPaused() {
        real.silent = 3;
        consumer.assign(List.of(P));
        real.updateBeginningOffsets(Map.of(P, 0L));
        real.schedulePollTask(() -> {}); // The first poll finds nothing.
        real.addRecord(new ConsumerRecord<>("blob-t", 0, 0, new byte[1], new byte[1]));

        assertThat(consumer.poll(Duration.ofHours(1)).count()).isEqualTo(1);
        assertThat(real.commitWaits).hasSize(4).allMatch(wait -> wait.compareTo(Duration.ofSeconds(1)) <= 0);
        assertThat(real.pollWaitsWhilePaused).isNotEmpty().allMatch(wait -> wait.compareTo(Duration.ofMillis(10)) <= 0);
    }

    /** Kafka's own mock, which leaves a number of queries for commits unanswered. */
    private static final class Unanswered extends MockConsumer<byte[], byte[]> {
        private final List<Duration> commitWaits = new ArrayList<>();
        private final List<Duration> pollWaitsWhilePaused = new ArrayList<>();
        private int silent;

        Unanswered() {
            super("earliest");
        }

        @Override
        public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
                Set<TopicPartition> partitions, Duration timeout) {
            commitWaits.add(timeout);
            if (silent-- > 0) {
                throw new TimeoutException("silent");
            }
            return super.committed(partitions);
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            if (paused().contains(P)) {
                pollWaitsWhilePaused.add(timeout);
            }
            return super.poll(timeout);
        }
    }
}
