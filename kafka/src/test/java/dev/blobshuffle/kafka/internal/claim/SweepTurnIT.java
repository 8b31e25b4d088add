package dev.blobshuffle.kafka.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.retention.SweepTurn;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.Clients;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.ConsumerWiring;
import dev.blobshuffle.kafka.internal.client.Mode;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.consume.StreamsConsumer;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Instances of one group on a real broker, each with its own consumer. */
class SweepTurnIT {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    private final SystemTime time = new SystemTime();
    private final ShuffleEngine engine =
            ShuffleEngine.builder(new MemoryBlobStore("turn", 1 << 20), time).build();
    private String prefix;

    @BeforeEach
    void createTopics() {
        prefix = "turn-" + System.nanoTime();
        KAFKA.createTopic(prefix + "-plain", 2);
        KAFKA.createTopic(prefix + "-shuffled-1", 2);
        KAFKA.createTopic(prefix + "-shuffled-2", 2);
    }

    @AfterEach
    void close() {
        engine.close();
        time.close();
    }

    private final class Instance implements AutoCloseable {
        private final SweepTurn turn = new SweepTurn(Membership.none());
        private final StreamsConsumer consumer;

        Instance() {
            Map<String, Object> settings = Map.of(
                    "bootstrap.servers",
                    KAFKA.bootstrapServers(),
                    "group.id",
                    prefix,
                    "auto.offset.reset",
                    "earliest",
                    "enable.auto.commit",
                    false);
            ConsumerWiring wiring = new ConsumerWiring(
                    Mode.GENERAL,
                    prefix,
                    TopicMatcher.of(List.of(".*-shuffled-.*"), List.of()),
                    100,
                    ClientPair.alone(),
                    turn,
                    time);
            consumer = StreamsConsumer.wrap(
                    new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer()),
                    engine,
                    wiring);
        }

        Instance subscribe() {
            consumer.subscribe(List.of(prefix + "-shuffled-2", prefix + "-plain", prefix + "-shuffled-1"));
            return this;
        }

        boolean hasFirst() {
            return consumer.assignment().contains(new TopicPartition(prefix + "-shuffled-1", 0));
        }

        @Override
        public void close() {
            consumer.close();
        }
    }

    private static void pollUntil(BooleanSupplier condition, Instance... instances) {
        Clients.waitFor("the turn").until(() -> {
            for (Instance instance : instances) {
                instance.consumer.poll(Duration.ofMillis(50));
            }
            return condition.getAsBoolean();
        });
    }

    @Test
    void oneOfAGroupHasItAndAnotherOneTakesItOver() {
        try (Instance one = new Instance().subscribe();
                Instance other = new Instance().subscribe()) {
            pollUntil(
                    () -> one.consumer.assignment().size() == 3
                            && other.consumer.assignment().size() == 3,
                    one,
                    other);
            pollUntil(() -> one.turn.isOurs() != other.turn.isOurs(), one, other);
            Instance has = one.turn.isOurs() ? one : other;
            Instance next = one.turn.isOurs() ? other : one;
            assertThat(has.hasFirst()).isTrue();
            assertThat(next.hasFirst()).isFalse();

            has.close();
            assertThat(has.turn.isOurs()).isFalse();
            pollUntil(next.turn::isOurs, next);
            assertThat(next.hasFirst()).isTrue();
        }
    }

    @Test
    void partitionsThatAreAssignedByHandGoByWhatIsRead() {
        try (Instance first = new Instance();
                Instance second = new Instance()) {
            first.consumer.assign(List.of(new TopicPartition(prefix + "-shuffled-1", 0)));
            second.consumer.assign(List.of(
                    new TopicPartition(prefix + "-shuffled-1", 1), new TopicPartition(prefix + "-shuffled-2", 0)));
            assertThat(first.turn.isOurs()).isTrue();
            assertThat(second.turn.isOurs()).isFalse();
        }
    }
}
