package dev.blobshuffle.kafka.internal.claim;

import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.config.ConfigDef;

/**
 * Identifies the application that claims a store.
 *
 * @param topic the claims topic
 * @param application the name under which Kafka remembers that the application has used a store
 * @param client settings of any Kafka client: broker addresses and security
 * @param promise what the instance's settings promise to the other instances of its owner
 */
public record ClaimIdentity(String topic, String application, Map<String, ?> client, Promise promise) {
    /** The claims topic of plain clients and of {@code gc}. */
    public static final String SHARED_TOPIC = "blobshuffle-claims";

    /** Kafka's own default of {@code default.api.timeout.ms}. */
    private static final Duration DEFAULT_PATIENCE = Duration.ofMinutes(1);

    /** Copies the settings that have a value. */
    public ClaimIdentity {
        Map<String, Object> given = new HashMap<>(client);
        given.values().removeIf(value -> value == null);
        client = given;
    }

    /**
     * The longest time for a call of the application's Kafka clients.
     *
     * @throws org.apache.kafka.common.config.ConfigException fatal: the setting is not a number
     */
    Duration patience() {
        String name = AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG;
        Object given = client.get(name);
        return given == null
                ? DEFAULT_PATIENCE
                : Duration.ofMillis((Integer) ConfigDef.parseType(name, given, ConfigDef.Type.INT));
    }

    /** An application of Kafka Streams. */
    public static ClaimIdentity ofStreams(String applicationId, Map<String, ?> client, Settings settings) {
        return new ClaimIdentity(applicationId + "-blobshuffle-claims", applicationId, client, promise(settings));
    }

    private static Promise promise(Settings settings) {
        return RetentionSettings.promise(settings, settings.value(WriteSettings.DELIVERY_TIMEOUT));
    }

    /**
     * Plain clients. They have no name, so all that use the same store count as one application.
     */
    public static ClaimIdentity ofClients(Settings settings, Map<String, ?> client) {
        String topic = settings.value(KafkaSettings.MEMBERSHIP_TOPIC)
                .map(members -> members + "-claims")
                .orElse(SHARED_TOPIC);
        String store = StoreSettings.uri(settings);
        int parameters = store.indexOf('?');
        String place = parameters < 0 ? store : store.substring(0, parameters);
        return new ClaimIdentity(topic, "clients of " + place.replaceAll("/+$", ""), client, promise(settings));
    }
}
