package dev.blobshuffle.kafka.internal.client;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.instance.SharedInstances;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.kafka.internal.claim.ClaimIdentity;
import dev.blobshuffle.kafka.internal.claim.ClaimedLogs;
import dev.blobshuffle.kafka.internal.claim.StoreClaim;
import dev.blobshuffle.kafka.internal.membership.KafkaMembership;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.CommonClientConfigs;

/**
 * The engines of the process's plain clients. All clients of a cluster with the same
 * {@code blobshuffle.*} settings share one engine, with its batches, memory and store. Thread-safe.
 */
public final class SharedEngines {
    private static final String BOOTSTRAP = CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG;
    private static final SharedInstances<Map<String, String>, Opened> ENGINES = new SharedInstances<>();

    private SharedEngines() {}

    /** The topics that plain clients shuffle through blobs, by pattern. */
    public static TopicMatcher topics(Settings settings) {
        if (!settings.isGiven(KafkaSettings.TOPICS_INCLUDE)) {
            throw new InvalidSettingsException("Cannot open a client: setting " + KafkaSettings.TOPICS_INCLUDE.name()
                    + " is missing, and its default is for Kafka Streams only. Give patterns of the topics that"
                    + " shuffle through blobs, the same in every client.");
        }
        return TopicMatcher.of(
                settings.value(KafkaSettings.TOPICS_INCLUDE), settings.value(KafkaSettings.TOPICS_EXCLUDE));
    }

    /**
     * Acquires a share of the engine for a client's settings.
     *
     * @throws InvalidSettingsException fatal: the settings cannot work
     */
    public static SharedParts acquire(Map<String, ?> configuration) {
        KafkaVersion.requireSupported();
        Settings settings = KafkaSettings.parse(configuration);
        TopicMatcher topics = topics(settings);
        SharedInstances.Share<Opened> share =
                ENGINES.acquire(key(configuration, settings), () -> Opened.open(settings, topics, configuration));
        Opened opened = share.instance();
        Duration deliveryTimeout = settings.value(WriteSettings.DELIVERY_TIMEOUT);
        return new SharedParts(
                opened.instance().engine(),
                topics,
                settings.value(KafkaSettings.WRITE_ENABLED) ? ProducerWiring.Writes.BLOBS : ProducerWiring.Writes.PLAIN,
                deliveryTimeout,
                opened.instance().membership(),
                opened.instance().watched(),
                opened.instance().time(),
                opened.metrics()::metrics,
                share::close);
    }

    private static Map<String, String> key(Map<String, ?> configuration, Settings settings) {
        Map<String, String> key = new TreeMap<>();
        configuration.forEach((name, value) -> {
            if (name.startsWith(ClientSettings.PREFIX)) {
                key.put(name, String.valueOf(value));
            }
        });
        key.put("zone", settings.zone().name());
        key.put(BOOTSTRAP, String.valueOf(configuration.get(BOOTSTRAP))); // Engines sweep by the logs of one cluster.
        return key;
    }

    /** The number of engines that are open, opening or closing. */
    public static int count() {
        return ENGINES.count();
    }

    private record Opened(ShuffleInstance instance, KafkaMetricsBridge metrics) implements AutoCloseable {
        static Opened open(Settings settings, TopicMatcher topics, Map<String, ?> configuration) {
            Map<String, ?> kafkas = ClientSettings.kafkas(configuration);
            ClaimIdentity identity = ClaimIdentity.ofClients(settings, kafkas);
            ShuffleInstance instance = ShuffleInstance.builder(settings)
                    .membership(time -> KafkaMembership.of(settings, Optional.empty(), kafkas, time))
                    .stores((uri, context) -> StoreClaim.open(uri, context, identity))
                    .sweeping(new ClaimedLogs(identity, topics::matches))
                    .open();
            KafkaMetricsBridge metrics = KafkaMetricsBridge.attach(instance, settings, configuration);
            StartLine.log("the clients of this process", settings, topics.toString());
            return new Opened(instance, metrics);
        }

        @Override
        public void close() {
            instance.close();
        }
    }
}
