package dev.blobshuffle.kafka.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.owner.ClaimsTopic;
import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.core.internal.owner.Step.Remember;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;

/** A claims topic keeps what is needed, and nothing else. */
class ClaimTopicIT {
    private static final int FINGERPRINT = 0x51;

    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    private static ClaimTopic topic(String application, int fingerprint, SystemTime time) {
        return topic("forgetful-claims", application, fingerprint, time);
    }

    private static ClaimTopic topic(String name, String application, int fingerprint, SystemTime time) {
        Map<String, Object> client = Map.of("bootstrap.servers", KAFKA.bootstrapServers());
        Promise promise = new Promise(Duration.ofMinutes(45), Optional.empty());
        return new ClaimTopic(name, new ClaimIdentity(name, application, client, promise), fingerprint, time);
    }

    private static void raise(ClaimTopic topic, String id, long counter) throws InterruptedException {
        assertThat(topic.remember(new Remember.Raise(id, counter))).isEmpty();
    }

    @Test
    void oldIdsOfThisApplicationAndStoreAreForgotten() throws Exception {
        try (SystemTime time = new SystemTime()) {
            raise(topic("a", FINGERPRINT, time), "old", 1);
            raise(topic("a", FINGERPRINT, time), "held", 2);
            raise(topic("a", FINGERPRINT, time), "young", 70);
            raise(topic("a", FINGERPRINT + 1, time), "other store", 1);
            raise(topic("b", FINGERPRINT, time), "other application", 1);
            assertThat(topic("a", FINGERPRINT, time).remember(new Remember.Owner(0xC0DE)))
                    .isEmpty();
            assertThat(topic("a", FINGERPRINT, time).remember(new Remember.Owner(7)))
                    .isEmpty();
            assertThat(topic("a", FINGERPRINT + 1, time).remember(new Remember.Owner(8)))
                    .isEmpty();

            topic("a", FINGERPRINT, time).forget(6, Set.of("held"));

            assertThat(topic("a", FINGERPRINT, time).owners())
                    .isEqualTo(new ClaimsTopic.Known(
                            Set.of("held", "young", "other store", "other application"), List.of(0xC0DE, 7)));
        }
    }

    @Test
    void aTopicThatDoesNotExistHoldsNothing() throws Exception {
        try (SystemTime time = new SystemTime()) {
            Map<String, Object> client = Map.of("bootstrap.servers", KAFKA.bootstrapServers());
            Promise promise = new Promise(Duration.ZERO, Optional.empty());
            AtomicInteger admins = new AtomicInteger();
            ClaimTopic none = new ClaimTopic(
                    "no-claims", new ClaimIdentity("no-claims", "a", client, promise), 1, time, settings -> {
                        admins.incrementAndGet();
                        return Admin.create(settings);
                    });
            assertThat(none.owners()).isEqualTo(new ClaimsTopic.Known(Set.of(), List.of()));
            assertThat(admins).as("clients, while it looks again").hasValue(1);
        }
    }

    /**
     * Brokers refuse records whose writer's clock is an hour or more ahead, if the writer's
     * timestamps count.
     */
    @Test
    void instanceWhoseClockIsHoursOffWritesToANewTopic() throws Exception {
        for (int hours : List.of(26, -26)) {
            try (SystemTime time = ahead(hours)) {
                ClaimTopic topic = topic("claims-ahead-" + hours, "a", FINGERPRINT, time);
                raise(topic, "id", 1);
                assertThat(topic.owners()).isEqualTo(new ClaimsTopic.Known(Set.of("id"), List.of()));
            }
        }
    }

    @Test
    void topicOfAnEarlierVersionIsAltered() throws Exception {
        String name = "claims-of-writers";
        try (SystemTime time = ahead(26);
                Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(name, 1, (short) 1)
                            .configs(Map.of("cleanup.policy", "compact", "message.timestamp.type", "CreateTime"))))
                    .all()
                    .get();
            ClaimTopic topic = topic(name, "a", FINGERPRINT, time);
            raise(topic, "id", 1);

            assertThat(topic.owners()).isEqualTo(new ClaimsTopic.Known(Set.of("id"), List.of()));
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
            assertThat(admin.describeConfigs(List.of(resource))
                            .all()
                            .get()
                            .get(resource)
                            .get("message.timestamp.type")
                            .value())
                    .isEqualTo("LogAppendTime");
        }
    }

    private static SystemTime ahead(int hours) {
        return new SystemTime(() ->
                SystemTime.wallClock().getAsLong() + Duration.ofHours(hours).toMillis());
    }
}
