package dev.blobshuffle.kafka.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.kafka.Clients;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which members a broker accepts in a group with readers of notifications, and what the group's
 * assignor then shows.
 */
class GroupProtocolIT {
    private static final int PARTITIONS = 4;

    private Clients clients;
    private String topic;
    private String group;

    @BeforeEach
    void open() {
        clients = new Clients(new MemoryBlobStore("protocol", 1L << 30), Duration.ofMillis(20));
        topic = clients.blobTopic(PARTITIONS);
        group = "g-" + topic;
    }

    @AfterEach
    void close() {
        clients.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "org.apache.kafka.clients.consumer.RangeAssignor,"
                        + "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
                "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
            })
    void nativeMemberIsRefusedByAGroupThatWrites(String assignors) {
        Object[] settings = {"partition.assignment.strategy", assignors};
        Consumer<String, String> writer = clients.consumer(group, settings);
        writer.subscribe(List.of(topic));
        pollUntilAssigned(PARTITIONS, writer);
        assertThat(members()).isEqualTo(GroupProtocol.Members.WRITING);

        Consumer<byte[], byte[]> natively = clients.nativeConsumer(group, settings);
        natively.subscribe(List.of(topic));
        Producer<String, String> producer = clients.producer();
        assertThatThrownBy(() -> Clients.waitFor("an assignment").until(() -> {
                    natively.poll(Duration.ofMillis(50));
                    writer.poll(Duration.ZERO);
                    return !natively.assignment().isEmpty();
                }))
                .isInstanceOf(InconsistentGroupProtocolException.class);

        for (int i = 0; i < 40; i++) {
            producer.send(new ProducerRecord<>(topic, i % PARTITIONS, "k", "v" + i));
        }
        producer.flush();
        assertThat(Clients.read(writer, 40)).hasSize(40);
    }

    @Test
    void nativeMembersAndThoseThatOnlyReadShareAGroup() {
        Consumer<byte[], byte[]> natively = clients.nativeConsumer(group);
        Consumer<String, String> rolling = clients.rollingConsumer(group);
        natively.subscribe(List.of(topic));
        rolling.subscribe(List.of(topic));
        pollUntilAssigned(PARTITIONS, natively, rolling);
        assertThat(members()).isEqualTo(GroupProtocol.Members.SOME_NATIVE);
        Producer<String, String> producer = clients.readOnlyProducer();
        for (int i = 0; i < 40; i++) {
            producer.send(new ProducerRecord<>(topic, i % PARTITIONS, "k", "v" + i));
        }
        producer.flush();

        Set<String> values = new HashSet<>();
        Clients.waitFor("40 records").until(() -> {
            natively.poll(Duration.ofMillis(20)).forEach(record -> values.add(new String(record.value())));
            rolling.poll(Duration.ofMillis(20)).forEach(record -> values.add(record.value()));
            return values.size() == 40;
        });
    }

    /**
     * Nothing is lost meanwhile: the writer reads nothing, and takes over after the native member
     * has left.
     */
    @Test
    void writerWaitsUntilTheLastNativeMemberHasLeft() {
        Consumer<byte[], byte[]> natively = clients.nativeConsumer(group);
        natively.subscribe(List.of(topic));
        pollUntilAssigned(PARTITIONS, natively);
        Consumer<String, String> writer = clients.consumer(group);
        writer.subscribe(List.of(topic));
        for (int i = 0; i < 20; i++) {
            assertThat(writer.poll(Duration.ofMillis(100)).isEmpty()).isTrue();
            natively.poll(Duration.ofMillis(10));
        }
        assertThat(writer.assignment()).isEmpty();
        assertThat(natively.assignment()).hasSize(PARTITIONS);

        natively.close();

        pollUntilAssigned(PARTITIONS, writer);
        assertThat(members()).isEqualTo(GroupProtocol.Members.WRITING);
    }

    /**
     * The order of the roll-in and, backwards, of the roll-out: each step shares a name with the
     * step before.
     */
    @Test
    void groupSaysWhetherNativeMembersMayJoin() {
        Consumer<String, String> rolling = clients.rollingConsumer(group);
        rolling.subscribe(List.of(topic));
        pollUntilAssigned(PARTITIONS, rolling);
        assertThat(members()).isEqualTo(GroupProtocol.Members.ROLLING);

        Consumer<String, String> writer = clients.consumer(group);
        writer.subscribe(List.of(topic));
        pollUntilAssigned(PARTITIONS, rolling, writer);
        assertThat(members()).isEqualTo(GroupProtocol.Members.WRITING);

        writer.close();
        Consumer<byte[], byte[]> natively = clients.nativeConsumer(group);
        natively.subscribe(List.of(topic));
        pollUntilAssigned(PARTITIONS, rolling, natively);
        assertThat(members()).isEqualTo(GroupProtocol.Members.SOME_NATIVE);
    }

    @Test
    void applicationsAssignorsKeepTheirOrderUnderOtherNames() {
        Consumer<String, String> reader = clients.consumer(
                group,
                "partition.assignment.strategy",
                List.of(RoundRobinAssignor.class, CooperativeStickyAssignor.class.getName()));
        reader.subscribe(List.of(topic));
        pollUntilAssigned(PARTITIONS, reader);
        assertThat(description().partitionAssignor()).isEqualTo("blobshuffle-roundrobin");
    }

    /**
     * A gap: the consumer group protocol has no names that members must share, so a broker cannot
     * reject native members. If a change of Kafka makes this test fail, native members can be
     * rejected there too.
     */
    @Test
    void consumerProtocolAdmitsNativeMembers() {
        Consumer<String, String> writer = clients.consumer(group, "group.protocol", "consumer");
        Consumer<byte[], byte[]> natively = clients.nativeConsumer(group, "group.protocol", "consumer");
        writer.subscribe(List.of(topic));
        natively.subscribe(List.of(topic));

        pollUntilAssigned(PARTITIONS, writer, natively);
    }

    /** Returns when every consumer has partitions, and together they have all. */
    private static void pollUntilAssigned(int partitions, Consumer<?, ?>... consumers) {
        Clients.waitFor("an assignment to each").until(() -> {
            int assigned = 0;
            boolean hasEach = true;
            for (Consumer<?, ?> consumer : consumers) {
                assertThat(consumer.poll(Duration.ofMillis(50)).isEmpty()).isTrue();
                assigned += consumer.assignment().size();
                hasEach &= !consumer.assignment().isEmpty();
            }
            return hasEach && assigned == partitions;
        });
    }

    private GroupProtocol.Members members() {
        return GroupProtocol.members(description().partitionAssignor());
    }

    private ConsumerGroupDescription description() {
        Admin admin = clients.nativeAdmin();
        try {
            Map<String, ConsumerGroupDescription> groups =
                    admin.describeConsumerGroups(List.of(group)).all().get();
            return groups.get(group);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
