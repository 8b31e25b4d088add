package dev.blobshuffle.kstreams.differential.drawn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Instances;
import dev.blobshuffle.kstreams.differential.NewTopics;
import dev.blobshuffle.kstreams.differential.drawn.Setup.Batching;
import dev.blobshuffle.kstreams.differential.drawn.Setup.Continues;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Shows why {@link DrawnComparison} compares only keys after a group lost a member: without
 * exactly-once, Kafka Streams counts the member's uncommitted records again, natively and through
 * blobs.
 */
class LostMemberIT {
    private static final int RECORDS = 5;
    private static final Setup SETUP = new Setup(
            false,
            "classic",
            1,
            1,
            Setup.Membership.PLAIN,
            1,
            false,
            false,
            false,
            new Continues(true, true, true),
            false,
            Batching.SMALL);

    private final String bootstrap = EmbeddedKafka.shared().bootstrapServers();

    @ParameterizedTest
    @EnumSource(Side.class)
    void recordsOfALostMemberAreCountedAgain(Side side) throws Exception {
        String application = "lost-member-" + side;
        String input = application + "-in";
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
                Instances members = new Instances()) {
            NewTopics.create(admin, List.of(input), 1);
            KafkaStreams streams = members.add(new KafkaStreams(topology(input), settings(side, application)));
            assertThat(members.hasLostPartitions()).isFalse();
            send(input);
            await("all are counted").atMost(Duration.ofMinutes(2)).until(() -> count(streams) == RECORDS);

            // The group does the same when a session ends.
            admin.removeMembersFromConsumerGroup(application, new RemoveMembersFromConsumerGroupOptions())
                    .all()
                    .get();

            await("they are counted again").atMost(Duration.ofMinutes(2)).until(() -> count(streams) > RECORDS);
            assertThat(members.hasLostPartitions()).isTrue();
        }
    }

    private static org.apache.kafka.streams.Topology topology(String input) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(input)
                .selectKey((key, value) -> "k")
                .groupByKey()
                .count(Materialized.as("counts"));
        return builder.build();
    }

    private Properties settings(Side side, String application) {
        Properties settings = new Properties();
        settings.put("application.id", application);
        settings.put("bootstrap.servers", bootstrap);
        settings.put("state.dir", Instances.stateDirectory(application, 0));
        settings.put("default.key.serde", Serdes.StringSerde.class);
        settings.put("default.value.serde", Serdes.StringSerde.class);
        settings.put("commit.interval.ms", 3_600_000);
        settings.put("statestore.cache.max.bytes", 0);
        settings.put("consumer.heartbeat.interval.ms", 100);
        side.addTo(settings, SETUP, Optional.empty());
        return settings;
    }

    private void send(String input) throws Exception {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap), new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < RECORDS; i++) {
                producer.send(new ProducerRecord<>(input, "k" + i, "v")).get();
            }
        }
    }

    private static long count(KafkaStreams streams) {
        try {
            Long count = streams.store(StoreQueryParameters.fromNameAndType(
                            "counts", QueryableStoreTypes.<String, Long>keyValueStore()))
                    .get("k");
            return count == null ? 0 : count;
        } catch (InvalidStateStoreException e) {
            return 0; // The task is moving.
        }
    }
}
