package dev.blobshuffle.kafka.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;

/** A claims topic keeps what it must, and only that. */
class ClaimTopicIT {
    private static final int FINGERPRINT = 0x51;

    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    private static ClaimTopic topic(String application, int fingerprint, SystemTime time) {
        return topic("forgetful-claims", application, fingerprint, time);
    }

    private static ClaimTopic topic(String name, String application, int fingerprint, SystemTime time) {
        Map<String, Object> client = Map.of("bootstrap.servers", KAFKA.bootstrapServers());
        return new ClaimTopic(name, new ClaimIdentity(name, application, client), fingerprint, time);
    }

    @Test
    void oldIdsOfThisApplicationAndStoreAreForgotten() throws Exception {
        try (SystemTime time = new SystemTime()) {
            topic("a", FINGERPRINT, time).remember("old", 1);
            topic("a", FINGERPRINT, time).remember("held", 2);
            topic("a", FINGERPRINT, time).remember("young", 70);
            topic("a", FINGERPRINT + 1, time).remember("other store", 1);
            topic("b", FINGERPRINT, time).remember("other application", 1);

            topic("a", FINGERPRINT, time).forget(6, Set.of("held"));

            assertThat(topic("a", FINGERPRINT, time).known())
                    .containsExactlyInAnyOrder("held", "young", "other store", "other application");
        }
    }

    /**
     * Brokers refuse records whose writer is an hour or more ahead, if the writer's time counts.
     */
    @Test
    void instanceWhoseClockIsHoursOffWritesToANewTopic() throws Exception {
        for (int hours : List.of(26, -26)) {
            try (SystemTime time = ahead(hours)) {
                ClaimTopic topic = topic("claims-ahead-" + hours, "a", FINGERPRINT, time);
                topic.remember("id", 1);
                assertThat(topic.known()).containsExactly("id");
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
            topic.remember("id", 1);

            assertThat(topic.known()).containsExactly("id");
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
