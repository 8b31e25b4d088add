package dev.blobshuffle.kafka.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A claims topic keeps what it must, and only that. */
class ClaimTopicIT {
    private static final int FINGERPRINT = 0x51;

    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    private static ClaimTopic topic(String application, int fingerprint, SystemTime time) {
        Map<String, Object> client = Map.of("bootstrap.servers", KAFKA.bootstrapServers());
        return new ClaimTopic(
                "forgetful-claims", new ClaimIdentity("forgetful-claims", application, client), fingerprint, time);
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
}
