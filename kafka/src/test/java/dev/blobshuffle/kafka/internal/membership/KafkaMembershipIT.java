package dev.blobshuffle.kafka.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.membership.PartitionRanges;
import dev.blobshuffle.core.internal.membership.PeerSecret;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.Clients;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Members on a real broker. */
class KafkaMembershipIT {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    private static final Zone A = new Zone("a");
    private static final Zone B = new Zone("b");
    private static final Partition P0 = new Partition("t", 0);

    private final String topic = "members-" + System.nanoTime();
    private final ShuffleMetrics metrics = new ShuffleMetrics();
    private MemberSignature signature = MemberSignature.of(Optional.empty(), topic);
    private final SystemTime time = new SystemTime();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
        time.close();
    }

    private KafkaMembership join(String bootstrap, long id, Zone zone, MembershipTiming timing) {
        KafkaMembership membership =
                new KafkaMembership(signature, Map.of("bootstrap.servers", bootstrap), zone, List.of(), timing, time);
        membership.onRefusal(() -> metrics.add(Counter.MEMBERSHIP_REFUSALS, 1));
        open.push(membership);
        membership.join(Optional.of(new Member(id, new Endpoint("host-" + id, 7400), zone, Set.of(), 1)));
        return membership;
    }

    private KafkaMembership join(long id, Zone zone) {
        return join(KAFKA.bootstrapServers(), id, zone, MembershipTiming.USUAL);
    }

    private static void await(Callable<Boolean> condition) {
        Clients.waitFor("the other members' news").until(condition);
    }

    private static List<Long> ids(Membership of, Zone zone) {
        return of.members(zone).stream().map(Member::id).sorted().toList();
    }

    @Test
    void membersHearOfEachOtherAndOfWhatTheyReadUntilTheyLeave() throws Exception {
        KafkaMembership one = join(1, A);
        KafkaMembership two = join(2, B);
        await(() -> ids(one, B).equals(List.of(2L)) && ids(two, A).equals(List.of(1L)));
        assertThat(two.members(A).get(0).endpoint()).isEqualTo(new Endpoint("host-1", 7400));

        Membership.Reading reading = one.reading();
        reading.reads(Set.of(P0));
        await(() -> two.zoneOf(P0).equals(Optional.of(A)));
        reading.close();
        await(() -> two.zoneOf(P0).isEmpty());

        one.close();
        await(() -> two.members(A).isEmpty());
        assertThat(ids(two, B)).containsExactly(2L);
        assertTopicIsCompactedAndTimedByTheBroker();
    }

    @Test
    void membersAnnounceTheNewestBlobFormatAndAcceptMembersOfAnOlderOne() {
        KafkaMembership current = join(1, A);
        Presence older = new Presence(2, A, Optional.of(new Endpoint("older", 1)), 1, PartitionRanges.none());
        await(() -> {
            write(PresenceCodec.key(2), PresenceCodec.value(older));
            return ids(current, A).equals(List.of(1L, 2L));
        });
        assertThat(current.members(A))
                .extracting(Member::id, Member::formatVersion)
                .containsExactlyInAnyOrder(tuple(1L, Footer.VERSION), tuple(2L, 1));
        assertThat(metrics.value(Counter.MEMBERSHIP_REFUSALS)).isZero();
    }

    @Test
    void topicWithTheClocksOfItsWritersIsAltered() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(Map.of("cleanup.policy", "compact"))))
                    .all()
                    .get();
        }
        KafkaMembership one = join(1, A);
        await(() -> ids(one, A).equals(List.of(1L)));
        assertTopicIsCompactedAndTimedByTheBroker();
    }

    private void assertTopicIsCompactedAndTimedByTheBroker() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
            Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
            assertThat(config.get("cleanup.policy").value()).isEqualTo("compact");
            assertThat(config.get("message.timestamp.type").value()).isEqualTo("LogAppendTime");
        }
    }

    /**
     * Most members join between the creation of the topic and the time when every broker thread
     * knows it.
     */
    @Test
    void membersThatComeTogetherWithTheTopicHearOfEachOther() {
        List<Long> all = new ArrayList<>();
        List<KafkaMembership> memberships = new ArrayList<>();
        for (long id = 1; id <= 8; id++) {
            all.add(id);
            memberships.add(join(id, A));
        }
        await(() ->
                memberships.stream().allMatch(membership -> ids(membership, A).equals(all)));
    }

    @Test
    void memberThatFallsSilentIsTakenForDeadAndItsRecordDeletedWhateverElseIsInTheTopic() {
        MembershipTiming quick = new MembershipTiming(
                Duration.ofMillis(100), Duration.ofSeconds(3), Duration.ofSeconds(4), Duration.ofSeconds(3));
        KafkaMembership survivor = join(KAFKA.bootstrapServers(), 5, A, quick);
        await(() -> ids(survivor, A).equals(List.of(5L)));
        Presence silent = new Presence(7, A, Optional.of(new Endpoint("gone", 1)), 1, PartitionRanges.of(Set.of(P0)));
        write(new byte[] {1, 2, 3}, new byte[100]);
        write(null, new byte[] {4});
        write(PresenceCodec.key(8), "blobshuffle-member 99".getBytes(StandardCharsets.UTF_8));
        // A suspended machine may be silent for longer than the limit, so try again.
        await(() -> {
            write(PresenceCodec.key(7), PresenceCodec.value(silent));
            return ids(survivor, A).equals(List.of(5L, 7L))
                    && survivor.zoneOf(P0).equals(Optional.of(A));
        });

        // The writer of these records sends nothing more. Only the survivor's own heartbeats
        // advance the time.
        await(() -> ids(survivor, A).equals(List.of(5L)));
        assertThat(survivor.zoneOf(P0)).isEmpty();
        awaitTombstones(Set.of(7L, 8L));
    }

    private void write(byte[] key, byte[] value) {
        try (Producer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(topic, 0, key == null ? new byte[0] : key, value));
        }
    }

    private void awaitTombstones(Set<Long> expected) {
        Set<Long> deleted = new HashSet<>();
        try (Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            await(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> {
                    if (record.value() == null) {
                        PresenceCodec.id(record.key()).ifPresent(deleted::add);
                    }
                });
                return deleted.containsAll(expected);
            });
        }
    }

    /** An upgrade: the old member signs nothing, and reads on without the help of the new ones. */
    @Test
    void membersWithASecretHearOnlyOfThoseThatSignWithIt() {
        KafkaMembership old = join(1, A);
        await(() -> ids(old, A).equals(List.of(1L)));
        signature = MemberSignature.of(
                Optional.of(PeerSecrets.of(new PeerSecret("known to all members".getBytes(StandardCharsets.UTF_8)))),
                topic);
        KafkaMembership two = join(2, A);
        KafkaMembership three = join(3, A);
        await(() -> ids(two, A).equals(List.of(2L, 3L)) && ids(three, A).equals(List.of(2L, 3L)));
        await(() -> ids(old, A).equals(List.of(1L, 2L, 3L)));
        await(() -> metrics.value(Counter.MEMBERSHIP_REFUSALS) > 0);
        assertThat(ids(two, A)).doesNotContain(1L);
        two.close();
        await(() -> ids(three, A).equals(List.of(3L)));
    }

    @Test
    void brokersThatDoNotAnswerHoldNobodyUp() throws Exception {
        KafkaMembership alone = join("127.0.0.1:1", 1, A, MembershipTiming.USUAL);
        alone.reading().reads(Set.of(P0));
        assertThat(alone.zoneOf(P0)).isEmpty();
        assertThat(alone.members()).isEmpty();
        CompletableFuture.runAsync(alone::close).get(2, TimeUnit.MINUTES);
    }
}
