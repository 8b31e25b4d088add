package dev.blobshuffle.kafka.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The order of events of {@code group.protocol=consumer} in kafka-clients 4.0 to 4.2: a background
 * thread changes the assignment, and the application's thread runs the callback in a later poll.
 * Partitions appear before the callback that assigns them, and stay for a while after the callback
 * that revokes them.
 */
class EarlyAssignmentTest {
    private static final TopicPartition BLOBS = new TopicPartition("blob-t", 0);
    private static final TopicPartition PLAIN = new TopicPartition("other", 0);

    private final MemoryEngine memory = new MemoryEngine();
    private final BackgroundAssigned real = new BackgroundAssigned();
    private final ShuffleConsumer<byte[], byte[]> consumer = consumer(null);
    private final Heard heard = new Heard();

    private ShuffleConsumer<byte[], byte[]> consumer(Duration autoCommit) {
        return new ShuffleConsumer<>(
                ByteConsumers.parts(real, memory.engine, ByteConsumers.wiring(memory.time), autoCommit, () -> {}));
    }

    @AfterEach
    void close() {
        consumer.close();
        memory.close();
    }

    @Test
    void partitionWhoseCommitWasNotToldBeforeTheCallbackIsRead() {
        real.silent = 1;
        subscribe(consumer);
        assignInBackground(BLOBS);
        consumer.poll(Duration.ZERO);
        real.inNextPoll(() -> real.listener.onPartitionsAssigned(List.of(BLOBS)));
        consumer.poll(Duration.ZERO);
        assertThat(real.silent)
                .as("the question before the callback got no answer")
                .isNegative();

        real.add(BLOBS, 0);
        assertThat(offsets(consumer, 1)).containsExactly(VirtualOffset.of(0, VirtualOffset.LAST));
        assertThat(real.paused()).isEmpty();
        assertThat(heard.assigned).containsExactly(BLOBS);
    }

    @Test
    void seekAndPauseBeforeTheCallbackStay() {
        subscribe(consumer);
        assignInBackground(BLOBS, PLAIN);
        consumer.seek(BLOBS, VirtualOffset.of(1));
        consumer.pause(List.of(PLAIN));
        real.inNextPoll(() -> real.listener.onPartitionsAssigned(List.of(BLOBS, PLAIN)));
        consumer.poll(Duration.ZERO);

        assertThat(consumer.paused()).containsExactly(PLAIN);
        for (int offset = 0; offset < 2; offset++) {
            real.add(BLOBS, offset);
            real.add(PLAIN, offset);
        }
        assertThat(offsets(consumer, 1)).containsExactly(VirtualOffset.of(1, VirtualOffset.LAST));
        consumer.resume(List.of(PLAIN));
        assertThat(offsets(consumer, 2)).containsExactly(0L, 1L);
    }

    @Test
    void revokedPartitionThatIsStillShownIsNotCommittedBeyondWhatWasHandedOut() {
        subscribe(consumer);
        assignInBackground(PLAIN);
        real.inNextPoll(() -> real.listener.onPartitionsAssigned(List.of(PLAIN)));
        consumer.poll(Duration.ZERO);
        for (int offset = 0; offset < 15; offset++) {
            real.add(PLAIN, offset);
        }
        assertThat(consumer.poll(Duration.ZERO).count()).as("max.poll.records").isEqualTo(10);
        real.inNextPoll(() -> real.listener.onPartitionsRevoked(List.of(PLAIN)));
        assertThat(consumer.poll(Duration.ZERO).isEmpty()).isTrue();

        consumer.commitSync();
        assertThat(real.committed(Set.of(PLAIN)).get(PLAIN))
                .as("five records are dropped, not read")
                .isNull();
    }

    @Test
    void partitionThatComesBackBeforeAnybodySawItGoStartsAtTheCommitOfItsLastOwner() {
        subscribe(consumer);
        assignInBackground(BLOBS);
        real.inNextPoll(() -> real.listener.onPartitionsAssigned(List.of(BLOBS)));
        consumer.poll(Duration.ZERO);
        real.inNextPoll(() -> real.listener.onPartitionsRevoked(List.of(BLOBS)));
        consumer.poll(Duration.ZERO);
        consumer.poll(Duration.ZERO);

        real.commitSync(Map.of(BLOBS, new OffsetAndMetadata(2)));
        real.inNextPoll(() -> real.listener.onPartitionsAssigned(List.of(BLOBS)));
        consumer.poll(Duration.ZERO);
        for (int offset = 0; offset < 3; offset++) {
            real.add(BLOBS, offset);
        }
        assertThat(offsets(consumer, 1)).containsExactly(VirtualOffset.of(2, VirtualOffset.LAST));
    }

    /** Kafka Streams' own protocol has no such listener. */
    @Test
    void forgottenPartitionStartsAfreshWhenItIsTakenOver() {
        assignInBackground(BLOBS);
        consumer.poll(Duration.ZERO);
        consumer.forget(List.of(BLOBS));
        consumer.poll(Duration.ZERO);
        consumer.poll(Duration.ZERO);

        real.commitSync(Map.of(BLOBS, new OffsetAndMetadata(2)));
        consumer.takeOver(List.of(BLOBS));
        consumer.poll(Duration.ZERO);
        for (int offset = 0; offset < 3; offset++) {
            real.add(BLOBS, offset);
        }
        assertThat(offsets(consumer, 1)).containsExactly(VirtualOffset.of(2, VirtualOffset.LAST));
    }

    @Test
    void wakeupWhileTheCallbackAsksForCommitsKeepsTheApplicationInformed() {
        subscribe(consumer);
        assignInBackground(BLOBS);
        real.inNextPoll(() -> {
            real.wakeupInQuestion = true;
            real.listener.onPartitionsAssigned(List.of(BLOBS));
        });
        consumer.seek(BLOBS, 0); // Only the callback queries then.
        real.listener.onPartitionsRevoked(List.of(BLOBS));
        assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).isInstanceOf(WakeupException.class);

        assertThat(heard.assigned).containsExactly(BLOBS);
        real.add(BLOBS, 0);
        assertThat(offsets(consumer, 1)).hasSize(1);
    }

    @Test
    void wakeupDuringTheLastAutoCommitLosesNeitherTheCommitNorTheCallback() {
        try (ShuffleConsumer<byte[], byte[]> committing = consumer(Duration.ofHours(1))) {
            subscribe(committing);
            assignInBackground(PLAIN);
            real.inNextPoll(() -> real.listener.onPartitionsAssigned(List.of(PLAIN)));
            committing.poll(Duration.ZERO);
            real.add(PLAIN, 0);
            assertThat(offsets(committing, 1)).containsExactly(0L);

            real.wakeupInCommit = true;
            real.inNextPoll(() -> real.listener.onPartitionsRevoked(List.of(PLAIN)));
            assertThatThrownBy(() -> committing.poll(Duration.ZERO)).isInstanceOf(WakeupException.class);
            assertThat(heard.revoked).containsExactly(PLAIN);
            assertThat(real.committed(Set.of(PLAIN)).get(PLAIN).offset()).isEqualTo(1);
        }
    }

    @Test
    void partitionThatIsTakenAwayWhileItIsBeingPausedDoesNotFailThePoll() {
        real.silent = 1;
        subscribe(consumer);
        assignInBackground(BLOBS);
        consumer.assignment();
        real.goneInPause = true;
        consumer.poll(Duration.ZERO);
        assertThat(consumer.poll(Duration.ZERO).isEmpty()).isTrue();
        assertThat(real.goneInPause).as("happened").isFalse();
    }

    private void subscribe(ShuffleConsumer<byte[], byte[]> subscriber) {
        subscriber.subscribe(List.of("blob-t", "other"), heard);
    }

    private void assignInBackground(TopicPartition... partitions) {
        if (real.subscription().isEmpty()) {
            subscribe(consumer);
        }
        real.updateBeginningOffsets(Map.of(BLOBS, 0L, PLAIN, 0L));
        real.rebalance(List.of(partitions));
    }

    private static List<Long> offsets(ShuffleConsumer<byte[], byte[]> of, int count) {
        List<Long> offsets = new ArrayList<>();
        for (int poll = 0; poll < 100 && offsets.size() < count; poll++) {
            of.poll(Duration.ofMillis(1)).forEach(record -> offsets.add(record.offset()));
        }
        return offsets;
    }

    private static final class Heard implements ConsumerRebalanceListener {
        private final List<TopicPartition> assigned = new ArrayList<>();
        private final List<TopicPartition> revoked = new ArrayList<>();

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            assigned.addAll(partitions);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            revoked.addAll(partitions);
        }
    }

    /**
     * Kafka's own mock. The test plays the background thread through {@code rebalance}, and chooses
     * the poll in which the callbacks run.
     */
    private static final class BackgroundAssigned extends MockConsumer<byte[], byte[]> {
        private final Queue<Runnable> callbacks = new ArrayDeque<>();
        private ConsumerRebalanceListener listener;
        private int silent;
        private boolean wakeupInQuestion;
        private boolean wakeupInCommit;
        private boolean goneInPause;

        BackgroundAssigned() {
            super("earliest");
        }

        void inNextPoll(Runnable callback) {
            callbacks.add(callback);
        }

        void add(TopicPartition partition, long offset) {
            addRecord(new ConsumerRecord<>(partition.topic(), partition.partition(), offset, new byte[1], new byte[1]));
        }

        @Override
        public synchronized void subscribe(Collection<String> topics, ConsumerRebalanceListener subscribed) {
            listener = subscribed;
            super.subscribe(topics);
        }

        @Override
        public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
                Set<TopicPartition> partitions, Duration timeout) {
            if (wakeupInQuestion) {
                wakeupInQuestion = false;
                throw new WakeupException();
            }
            if (silent-- > 0) {
                throw new TimeoutException("The coordinator is slow.");
            }
            return super.committed(partitions);
        }

        @Override
        public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            if (wakeupInCommit) {
                wakeupInCommit = false;
                throw new WakeupException();
            }
            super.commitSync(offsets);
        }

        @Override
        public synchronized void pause(Collection<TopicPartition> partitions) {
            if (goneInPause) {
                goneInPause = false;
                rebalance(List.of());
                throw new IllegalStateException("No current assignment for partition " + partitions);
            }
            super.pause(partitions);
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            while (!callbacks.isEmpty()) {
                callbacks.remove().run();
            }
            return super.poll(timeout);
        }
    }
}
