package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GroupIT {
    private static final int PARTITIONS = 4;
    private static final int RECORDS = 4000;

    private Clients clients;
    private String topic;

    /** The protocol by which a group agrees on its assignment. */
    enum Protocol {
        EAGER,
        COOPERATIVE,
        CONSUMER;

        Object[] settings() {
            return switch (this) {
                case EAGER -> new Object[] {"max.poll.records", 50};
                case COOPERATIVE ->
                    new Object[] {
                        "max.poll.records",
                        50,
                        "partition.assignment.strategy",
                        CooperativeStickyAssignor.class.getName()
                    };
                case CONSUMER -> new Object[] {"max.poll.records", 50, "group.protocol", "consumer"};
            };
        }
    }

    @BeforeEach
    void open() {
        clients = new Clients(new MemoryBlobStore("groups", 1L << 30), Duration.ofSeconds(30));
        topic = clients.blobTopic(PARTITIONS);
        Producer<String, String> producer = clients.producer();
        for (int i = 0; i < RECORDS; i++) {
            producer.send(new ProducerRecord<>(topic, i % PARTITIONS, "k", "v" + i));
        }
        producer.flush();
    }

    @AfterEach
    void close() {
        clients.close();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void rebalanceInTheMiddleOfANotificationLosesAndRepeatsNothing(Protocol protocol) {
        String group = "g-" + protocol + System.nanoTime();
        Member first = new Member(group, protocol);
        Clients.waitFor("300 records").until(() -> {
            first.poll();
            return first.received.size() >= 300;
        });
        Member second = new Member(group, protocol);
        pollUntilBothHave(first, second);
        second.close();
        Clients.waitFor("all records").until(() -> {
            first.poll();
            return first.received.size() + second.received.size() >= RECORDS;
        });
        first.poll();

        List<String> all = new ArrayList<>(first.received);
        all.addAll(second.received);
        assertThat(all).hasSize(RECORDS).doesNotHaveDuplicates();
        assertThat(second.received).isNotEmpty();
        first.close();
    }

    @Tag("every-kafka")
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void autoCommitHandsOverAtTheExactRecord(Protocol protocol) {
        String group = "g-auto-" + protocol + System.nanoTime();
        Object[] overrides = committingItself(protocol);
        Consumer<String, String> first = clients.consumer(group, overrides);
        first.subscribe(List.of(topic));
        Set<String> seen = new HashSet<>(Clients.valuesOf(Clients.read(first, 730)));
        first.close();
        Consumer<String, String> second = clients.consumer(group, overrides);
        second.subscribe(List.of(topic));
        List<String> rest = Clients.valuesOf(Clients.read(second, RECORDS - seen.size()));

        assertThat(rest).hasSize(RECORDS - seen.size()).doesNotContainAnyElementsOf(seen);
    }

    /** As in Kafka's consumer. A new subscription then brings the records since the last commit. */
    @Tag("every-kafka")
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void unsubscribingDoesNotCommit(Protocol protocol) {
        String group = "g-unsubscribed-" + protocol + System.nanoTime();
        Consumer<String, String> consumer = clients.consumer(group, committingItself(protocol));
        List<Runnable> ways =
                List.of(consumer::unsubscribe, () -> consumer.subscribe(List.of()), () -> consumer.assign(List.of()));
        for (Runnable way : ways) {
            consumer.subscribe(List.of(topic));
            assertThat(Clients.read(consumer, 100)).hasSizeGreaterThanOrEqualTo(100);
            way.run();
            assertThat(consumer.assignment()).isEmpty();
            assertThat(consumer.committed(partitions()).values()).containsOnlyNulls();
        }
    }

    private Set<TopicPartition> partitions() {
        return IntStream.range(0, PARTITIONS)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .collect(Collectors.toSet());
    }

    /** Settings of a consumer that commits as it closes or loses partitions. */
    private static Object[] committingItself(Protocol protocol) {
        return Stream.concat(
                        Stream.of(protocol.settings()),
                        Stream.of("enable.auto.commit", true, "auto.commit.interval.ms", 3_600_000))
                .toArray();
    }

    /** Polls both members until each has partitions. */
    private static void pollUntilBothHave(Member first, Member second) {
        Clients.waitFor("200 records of the second member").until(() -> {
            second.poll();
            if (second.consumer.assignment().isEmpty() || second.received.isEmpty()) {
                first.keepAlive();
            }
            return second.received.size() >= 200;
        });
    }

    /** A member that commits after each poll and again when partitions are revoked. */
    private final class Member implements ConsumerRebalanceListener, AutoCloseable {
        final Consumer<String, String> consumer;
        final List<String> received = new ArrayList<>();
        private final Map<TopicPartition, OffsetAndMetadata> done = new HashMap<>();

        Member(String group, Protocol protocol) {
            consumer = clients.consumer(group, protocol.settings());
            consumer.subscribe(List.of(topic), this);
        }

        void poll() {
            take(Duration.ofMillis(100));
        }

        /** Stays in the group; partitions that it gets count too. */
        void keepAlive() {
            take(Duration.ZERO);
        }

        private void take(Duration timeout) {
            for (ConsumerRecord<String, String> record : consumer.poll(timeout)) {
                received.add(record.value());
                done.put(
                        new TopicPartition(record.topic(), record.partition()),
                        new OffsetAndMetadata(record.offset() + 1));
            }
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
            consumer.commitSync(done);
            done.keySet().removeAll(revoked);
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
            for (TopicPartition partition : assigned) {
                OffsetAndMetadata committed =
                        consumer.committed(Set.of(partition)).get(partition);
                assertThat(consumer.position(partition)).isEqualTo(committed == null ? 0 : committed.offset());
            }
        }

        @Override
        public void close() {
            consumer.close();
        }
    }
}
