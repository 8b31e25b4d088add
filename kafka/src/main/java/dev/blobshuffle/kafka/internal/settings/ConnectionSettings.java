package dev.blobshuffle.kafka.internal.settings;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * The settings of internal clients, made from those of any client of the application: where the
 * brokers are, and security. They keep settings that no Kafka client knows, because the
 * application's own classes for security and its configuration providers read those. Stateless.
 */
public final class ConnectionSettings {
    private static final String OURS = "blobshuffle.";
    private static final Set<String> KNOWN = known();

    private ConnectionSettings() {}

    private static Set<String> known() {
        Set<String> known = new HashSet<>(AdminClientConfig.configNames());
        known.addAll(ConsumerConfig.configNames());
        known.addAll(ProducerConfig.configNames());
        return known;
    }

    /**
     * The settings of an internal admin, which all kinds of clients know.
     *
     * @param client settings of any Kafka client of the application
     * @param clientId names the internal client in logs and metrics
     */
    public static Map<String, Object> ofAdmin(Map<String, ?> client, String clientId) {
        Map<String, Object> settings = only(client, AdminClientConfig.configNames());
        settings.remove(AdminClientConfig.METRIC_REPORTER_CLASSES_CONFIG);
        settings.put(AdminClientConfig.CLIENT_ID_CONFIG, clientId);
        return settings;
    }

    /** The settings of {@link #ofAdmin} that a producer knows. */
    public static Map<String, Object> ofProducer(Map<String, ?> admin) {
        return only(admin, ProducerConfig.configNames());
    }

    /** The settings of {@link #ofAdmin} that a consumer knows. */
    public static Map<String, Object> ofConsumer(Map<String, ?> admin) {
        return only(admin, ConsumerConfig.configNames());
    }

    /** Leaves out settings of other kinds of Kafka clients, ours, and those without a value. */
    private static Map<String, Object> only(Map<String, ?> settings, Set<String> names) {
        Map<String, Object> kept = new HashMap<>(settings);
        kept.keySet().removeIf(name -> name.startsWith(OURS) || KNOWN.contains(name) && !names.contains(name));
        kept.values().removeIf(value -> value == null);
        return kept;
    }
}
