package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.kafka.internal.client.KafkaVersion;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ConsumerPositionIT {
    private final MemoryBlobStore store = new MemoryBlobStore("positions", 1L << 30);
    private Clients clients;
    private String topic;
    private TopicPartition partition;

    @BeforeEach
    void open() {
        clients = new Clients(store, Duration.ofSeconds(30));
        topic = clients.blobTopic(1);
        partition = Clients.partition(topic);
    }

    @AfterEach
    void close() {
        clients.close();
    }

    private Consumer<String, String> assigned(String group, Object... overrides) {
        Consumer<String, String> consumer = clients.consumer(group, overrides);
        consumer.assign(List.of(partition));
        return consumer;
    }

    private static OffsetAndMetadata after(ConsumerRecord<?, ?> record, String metadata) {
        return new OffsetAndMetadata(record.offset() + 1, record.leaderEpoch(), metadata);
    }

    /** As in Kafka's consumer, a query for one position resolves all. */
    @Test
    void commitCoversPartitionsWhosePositionNobodyAskedFor() {
        String two = clients.blobTopic(2);
        TopicPartition other = new TopicPartition(two, 1);
        Consumer<String, String> consumer = clients.consumer("g");
        consumer.assign(List.of(Clients.partition(two), other));
        consumer.position(Clients.partition(two));
        consumer.commitSync();
        assertThat(consumer.committed(Set.of(other)).get(other)).isNotNull();
    }

    @Test
    void restartResumesAtTheExactRecordInsideANotification() {
        Clients.send(clients.producer(), topic, 0, Clients.values("v", 10));
        Consumer<String, String> first = assigned("g");
        List<ConsumerRecord<String, String>> read = Clients.read(first, 10);
        first.commitSync(Map.of(partition, after(read.get(3), "mine")));
        first.close();

        Consumer<String, String> second = assigned("g");
        assertThat(second.committed(Set.of(partition)).get(partition).metadata())
                .isEqualTo("mine");
        assertThat(second.position(partition)).isEqualTo(read.get(4).offset());
        assertThat(Clients.valuesOf(Clients.read(second, 6))).containsExactly("v4", "v5", "v6", "v7", "v8", "v9");
        assertThat(second.poll(Duration.ofMillis(300)).isEmpty()).isTrue();
    }

    @Tag("every-kafka")
    @Test
    void groupMemberResumesInsideANotificationToo() {
        Clients.send(clients.producer(), topic, 0, Clients.values("v", 10));
        Consumer<String, String> first = clients.consumer("g-member");
        first.subscribe(List.of(topic));
        List<ConsumerRecord<String, String>> read = Clients.read(first, 10);
        first.commitSync(Map.of(partition, after(read.get(6), "")));
        first.close();

        Consumer<String, String> second = clients.consumer("g-member");
        second.subscribe(List.of(topic));
        assertThat(Clients.valuesOf(Clients.read(second, 3))).containsExactly("v7", "v8", "v9");
    }

    @Test
    void brokerKeepsTheNotificationsOffsetAndNoMetadataOnceItIsDone() {
        Clients.send(clients.producer(), topic, 0, "a", "b");
        Consumer<String, String> consumer = assigned("g-real");
        List<ConsumerRecord<String, String>> read = Clients.read(consumer, 2);
        consumer.commitSync(Map.of(partition, after(read.get(0), "")));
        assertThat(realCommit("g-real"))
                .isEqualTo(new OffsetAndMetadata(0, read.get(0).leaderEpoch(), "bs1:0+1:"));
        consumer.commitSync(Map.of(partition, after(read.get(1), "")));
        assertThat(realCommit("g-real"))
                .isEqualTo(new OffsetAndMetadata(1, read.get(1).leaderEpoch(), ""));
    }

    private OffsetAndMetadata realCommit(String group) {
        return clients.nativeConsumer(group).committed(Set.of(partition)).get(partition);
    }

    /** Simulates a tool that resets a group to its present offsets, or copies offsets only. */
    @Test
    void commitRewrittenWithoutMetadataRepeatsRecordsOfItsSegmentAndLosesNone() throws Exception {
        Producer<String, String> producer = clients.producer();
        Clients.send(producer, topic, 0, "a", "b", "c");
        Clients.send(producer, topic, 0, Clients.values("v", 10));
        Clients.send(producer, topic, 0, "d");
        Consumer<String, String> first = assigned("g-rewritten");
        List<ConsumerRecord<String, String>> read = Clients.read(first, 14);
        // inside the second segment
        first.commitSync(Map.of(partition, after(read.get(7), "mine")));
        first.close();

        OffsetAndMetadata real = realCommit("g-rewritten");
        rewrite("g-rewritten", real.offset());
        List<String> again = Clients.valuesOf(Clients.read(assigned("g-rewritten"), 11));
        assertThat(again).startsWith("v0").endsWith("v9", "d").hasSize(11);

        // passes the segment's rest, as natively records are passed
        rewrite("g-rewritten", real.offset() + 1);
        assertThat(Clients.valuesOf(Clients.read(assigned("g-rewritten"), 1))).containsExactly("d");
    }

    private void rewrite(String group, long offset) throws Exception {
        clients.nativeAdmin()
                .alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(offset)))
                .all()
                .get();
    }

    @Test
    void positionsMoveRecordByRecord() {
        Clients.send(clients.producer(), topic, 0, "a", "b", "c");
        Consumer<String, String> consumer = assigned("g", "max.poll.records", 1);
        for (int i = 0; i < 3; i++) {
            ConsumerRecord<String, String> record = Clients.read(consumer, 1).get(0);
            assertThat(consumer.position(partition)).isGreaterThan(record.offset());
            consumer.commitSync();
            OffsetAndMetadata committed = consumer.committed(Set.of(partition)).get(partition);
            assertThat(committed.offset()).isEqualTo(consumer.position(partition));
        }
        assertThat(consumer.position(partition))
                .isEqualTo(consumer.endOffsets(List.of(partition)).get(partition));
        assertThat(consumer.currentLag(partition)).hasValue(0);
    }

    @Test
    void pollReturnsAtMostItsLimitAndTheNextOffsetOfWhatItReturned() {
        Clients.send(clients.producer(), topic, 0, Clients.values("v", 25));
        Consumer<String, String> consumer = assigned("g", "max.poll.records", 10);
        int read = 0;
        while (read < 25) {
            ConsumerRecords<String, String> records = consumer.poll(Duration.ofSeconds(1));
            assertThat(records.count()).isLessThanOrEqualTo(10);
            if (!records.isEmpty()) {
                if (KafkaVersion.HAS_NEXT_OFFSETS) {
                    assertThat(records.nextOffsets().get(partition).offset()).isEqualTo(consumer.position(partition));
                }
                assertThat(consumer.currentLag(partition)).hasValue(25 - read - records.count());
            }
            read += records.count();
        }
        assertThat(read).isEqualTo(25);
    }

    @Test
    void seekFindsEveryRecordByItsOffset() {
        Producer<String, String> producer = clients.producer();
        Clients.send(producer, topic, 0, "a", "b", "c");
        Clients.send(clients.nativeProducer(), topic, 0, "d");
        Clients.send(producer, topic, 0, "e");
        Consumer<String, String> consumer = assigned("g");
        List<ConsumerRecord<String, String>> all = Clients.read(consumer, 5);

        for (ConsumerRecord<String, String> record : all) {
            consumer.seek(partition, record.offset());
            assertThat(consumer.position(partition)).isLessThanOrEqualTo(record.offset());
            assertThat(Clients.read(consumer, 1).get(0).value()).isEqualTo(record.value());
        }
        consumer.seekToBeginning(List.of(partition));
        assertThat(consumer.position(partition)).isZero();
        assertThat(Clients.valuesOf(Clients.read(consumer, 5))).containsExactly("a", "b", "c", "d", "e");
        consumer.seekToEnd(List.of(partition));
        assertThat(consumer.position(partition)).isEqualTo(VirtualOffset.of(3));
        Clients.send(producer, topic, 0, "f");
        assertThat(Clients.valuesOf(Clients.read(consumer, 1))).containsExactly("f");
    }

    @Test
    void pausedPartitionHandsOutNothingUntilItIsResumed() {
        Clients.send(clients.producer(), topic, 0, Clients.values("v", 10));
        Consumer<String, String> consumer = assigned("g", "max.poll.records", 4);
        assertThat(Clients.read(consumer, 4)).hasSize(4);
        consumer.pause(List.of(partition));

        assertThat(consumer.paused()).containsExactly(partition);
        assertThat(consumer.poll(Duration.ofMillis(300)).isEmpty()).isTrue();
        consumer.resume(List.of(partition));
        assertThat(consumer.paused()).isEmpty();
        assertThat(Clients.valuesOf(Clients.read(consumer, 6))).startsWith("v4").endsWith("v9");
    }

    @Test
    void longQueuesPauseTheRealConsumerUnseen() {
        Producer<String, String> producer = clients.producer();
        Producer<String, String> plain = clients.nativeProducer();
        Clients.send(plain, topic, 0, Clients.values("p", 6000));
        Clients.send(producer, topic, 0, "last");
        Consumer<String, String> consumer = assigned("g", "max.poll.records", 5);
        Clients.read(consumer, 500);

        assertThat(consumer.paused()).isEmpty();
        assertThat(Clients.valuesOf(Clients.read(consumer, 5501))).endsWith("p5999", "last");
    }

    @Tag("every-kafka")
    @Test
    void adminDeletesOnlyWhatIsConsumedAndAnswersInVirtualOffsets() throws Exception {
        Producer<String, String> producer = clients.producer();
        Clients.send(producer, topic, 0, "a");
        Clients.send(producer, topic, 0, "b", "c");
        var admin = clients.admin();
        long low = admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(VirtualOffset.of(1, 1))))
                .lowWatermarks()
                .get(partition)
                .get()
                .lowWatermark();

        assertThat(low).isEqualTo(VirtualOffset.of(1));
        assertThat(admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                        .partitionResult(partition)
                        .get()
                        .offset())
                .isEqualTo(VirtualOffset.of(2));
        assertThat(Clients.valuesOf(Clients.read(assigned("g"), 2))).containsExactly("b", "c");
    }

    @Test
    void committedNotificationThatIsGoneResetsLikeKafka() throws Exception {
        Producer<String, String> producer = clients.producer();
        Clients.send(producer, topic, 0, "a", "b", "c");
        Clients.send(producer, topic, 0, "d", "e", "f");
        Consumer<String, String> first = assigned("g-gone");
        List<ConsumerRecord<String, String>> read = Clients.read(first, 6);
        first.commitSync(Map.of(partition, after(read.get(1), "")));
        first.close();
        clients.nativeAdmin()
                .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(1)))
                .all()
                .get();

        assertThat(Clients.valuesOf(Clients.read(assigned("g-gone"), 3))).containsExactly("d", "e", "f");
    }

    @Test
    void autoCommitCoversExactlyWhatWasHandedOut() {
        Clients.send(clients.producer(), topic, 0, Clients.values("v", 10));
        Consumer<String, String> first = assigned(
                "g-auto", "enable.auto.commit", true, "max.poll.records", 4, "auto.commit.interval.ms", 3_600_000);
        assertThat(Clients.read(first, 4)).hasSize(4);
        first.close();

        assertThat(Clients.valuesOf(Clients.read(assigned("g-auto"), 6)))
                .startsWith("v4")
                .endsWith("v9");
    }

    /** As in Kafka's consumer. A new assignment then brings the records since the last commit. */
    @Test
    void givingUpAllPartitionsDoesNotCommit() {
        Clients.send(clients.producer(), topic, 0, Clients.values("v", 10));
        Consumer<String, String> consumer =
                clients.consumer("g-given-up", "enable.auto.commit", true, "auto.commit.interval.ms", 3_600_000);
        List<Runnable> ways =
                List.of(consumer::unsubscribe, () -> consumer.assign(List.of()), () -> consumer.subscribe(List.of()));
        for (Runnable way : ways) {
            consumer.assign(List.of(partition));
            assertThat(Clients.valuesOf(Clients.read(consumer, 10))).startsWith("v0");
            way.run();
            assertThat(consumer.assignment()).isEmpty();
            assertThat(consumer.committed(Set.of(partition)).get(partition)).isNull();
        }
    }

    @Test
    void autoCommitRunsInPoll() {
        Clients.send(clients.producer(), topic, 0, Clients.values("v", 10));
        Consumer<String, String> consumer =
                assigned("g-interval", "enable.auto.commit", true, "auto.commit.interval.ms", 1);
        Clients.read(consumer, 10);
        OffsetAndMetadata committed = Clients.waitFor("a commit")
                .until(
                        () -> {
                            consumer.poll(Duration.ofMillis(50));
                            return consumer.committed(Set.of(partition)).get(partition);
                        },
                        Objects::nonNull);

        assertThat(committed.offset()).isEqualTo(VirtualOffset.of(1));
    }

    @Test
    void asynchronousCommitTellsTheCallersOffsets() {
        Clients.send(clients.producer(), topic, 0, "a", "b");
        Consumer<String, String> consumer = assigned("g-async");
        Map<TopicPartition, OffsetAndMetadata> offsets =
                Map.of(partition, after(Clients.read(consumer, 2).get(0), "m"));
        List<Map<TopicPartition, OffsetAndMetadata>> told = new CopyOnWriteArrayList<>();
        consumer.commitAsync(offsets, (committed, failure) -> told.add(committed));
        Clients.waitFor("the callback").until(() -> {
            consumer.poll(Duration.ofMillis(50));
            return !told.isEmpty();
        });

        assertThat(told).containsExactly(offsets);
        assertThat(consumer.committed(Set.of(partition))).isEqualTo(offsets);
    }

    @Test
    void wakeupEndsAPollAndLosesNothing() {
        Clients.send(clients.producer(), topic, 0, "a", "b");
        Consumer<String, String> consumer = assigned("g");
        consumer.wakeup();
        assertThatThrownBy(() -> consumer.poll(Duration.ofSeconds(30))).isInstanceOf(WakeupException.class);

        assertThat(Clients.valuesOf(Clients.read(consumer, 2))).containsExactly("a", "b");
    }

    @Test
    void missingBlobStopsThePartitionBeforeItsRecords() throws Exception {
        Producer<String, String> producer = clients.producer();
        Clients.send(producer, topic, 0, "a", "b");
        Clients.send(clients.nativeProducer(), topic, 0, "c");
        Clients.deleteBlobs(store);
        Consumer<String, String> consumer = assigned("g");
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> Clients.read(consumer, 1))
                    .isInstanceOf(KafkaException.class)
                    .hasCauseInstanceOf(BlobMissingException.class);
            assertThat(consumer.position(partition)).isZero();
        }
        consumer.seek(partition, VirtualOffset.of(1));
        assertThat(Clients.valuesOf(Clients.read(consumer, 1))).containsExactly("c");
    }
}
