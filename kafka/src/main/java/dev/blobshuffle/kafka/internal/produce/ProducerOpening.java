package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.kafka.internal.client.ClientOpening;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.ClientSettings;
import dev.blobshuffle.kafka.internal.client.Mode;
import dev.blobshuffle.kafka.internal.client.PluginRelay;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import dev.blobshuffle.kafka.internal.client.SharedEngines;
import dev.blobshuffle.kafka.internal.client.SharedParts;
import dev.blobshuffle.kafka.internal.client.TopicPolicies;
import dev.blobshuffle.kafka.internal.settings.ConnectionSettings;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the parts of a plain application's producer from its settings. The real producer sends
 * bytes and has neither the application's interceptors nor its partitioner; the wrapper calls
 * those. Stateless.
 */
public final class ProducerOpening {
    private static final long MOST_MILLIS_FOR_ANSWERS = 30_000;
    private static final long LEAST_MILLIS_FOR_TOPIC = 1_000;

    private ProducerOpening() {}

    public static <K, V> ProducerParts<K, V> open(
            Map<String, ?> given, @Nullable Serializer<K> keys, @Nullable Serializer<V> values) {
        Map<String, Object> settings = ClientSettings.resolved(given);
        SharedParts shared = SharedEngines.acquire(settings);
        try {
            return parts(settings, shared, keys, values);
        } catch (RuntimeException | Error e) {
            shared.release().run();
            throw e;
        }
    }

    public static <K, V> ProducerParts<K, V> parts(
            Map<String, ?> settings, SharedParts shared, @Nullable Serializer<K> keys, @Nullable Serializer<V> values) {
        Map<String, Object> kafkas = ClientSettings.kafkas(settings);
        ProducerConfig config = config(kafkas, keys, values);
        try (ClientOpening opening = new ClientOpening(config, "producer")) {
            Serializer<K> ofKeys = opening.serde(
                    ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                    Serializer.class,
                    keys,
                    (made, given) -> made.configure(given, true));
            Serializer<V> ofValues = opening.serde(
                    ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                    Serializer.class,
                    values,
                    (made, given) -> made.configure(given, false));
            List<ProducerInterceptor<K, V>> interceptors = opening.interceptors(ProducerInterceptor.class);
            Partitioning partitioning = opening.keep(Partitioning.of(config, opening.forPlugins()));
            ProducerWiring wiring = wiring(config, KafkaSettings.parse(settings), shared);
            Map<String, Object> real = opening.real(kafkas);
            real.remove(ProducerConfig.PARTITIONER_CLASS_CONFIG);
            Producer<byte[], byte[]> delegate = new KafkaProducer<>(
                    real,
                    RelayingSerializer.of(plugins(ofKeys, ofValues, interceptors, partitioning.custom())),
                    new ByteArraySerializer());
            long maxBlock = config.getLong(ProducerConfig.MAX_BLOCK_MS_CONFIG);
            opening.succeeded();
            return new ProducerParts<>(
                    delegate,
                    shared.engine(),
                    opening.name(),
                    wiring,
                    new RecordSerializer<>(ofKeys, ofValues),
                    new ProducerInterceptorChain<>(interceptors),
                    partitioning,
                    Duration.ofMillis(Math.min(maxBlock, TimeUnit.DAYS.toMillis(365))),
                    topic -> requireFitForNotifications(kafkas, topic, maxBlock),
                    topic -> partitionCount(kafkas, topic, maxBlock),
                    shared.metrics(),
                    shared.release());
        }
    }

    private static PluginRelay plugins(
            Serializer<?> keys, Serializer<?> values, List<?> interceptors, @Nullable Partitioner partitioner) {
        Map<Object, String> plugins = new IdentityHashMap<>();
        plugins.put(keys, ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG);
        plugins.put(values, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG);
        interceptors.forEach(each -> plugins.put(each, ProducerConfig.INTERCEPTOR_CLASSES_CONFIG));
        if (partitioner != null) {
            plugins.put(partitioner, ProducerConfig.PARTITIONER_CLASS_CONFIG);
        }
        return new PluginRelay(plugins);
    }

    private static ProducerConfig config(
            Map<String, Object> kafkas, @Nullable Serializer<?> keys, @Nullable Serializer<?> values) {
        Map<String, Object> complete = new HashMap<>(kafkas);
        if (keys != null) {
            complete.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, keys.getClass());
        }
        if (values != null) {
            complete.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, values.getClass());
        }
        return new ProducerConfig(complete);
    }

    private static ProducerWiring wiring(ProducerConfig config, Settings own, SharedParts shared) {
        boolean transactional = config.getString(ProducerConfig.TRANSACTIONAL_ID_CONFIG) != null;
        Duration notification = Duration.ofMillis(config.getInt(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG));
        Duration transaction = Duration.ofMillis(config.getInt(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG));
        Duration held = ProducerWiring.notificationTimeout(transactional, notification, transaction);
        ProducerWiring.requireNotifiedInTime(own, held, notification);
        if (shared.writes() == ProducerWiring.Writes.BLOBS) {
            TopicPolicies.requireRoomForNotifications(config.getInt(ProducerConfig.MAX_REQUEST_SIZE_CONFIG));
        }
        Duration timeout = shared.deliveryTimeout().plus(notification);
        if (transactional) {
            // Leaves some of the transaction's time for the commit itself.
            Duration most = transaction.multipliedBy(4).dividedBy(5);
            timeout = timeout.compareTo(most) < 0 ? timeout : most;
        }
        return new ProducerWiring(
                Mode.GENERAL,
                shared.topics(),
                shared.writes(),
                transactional,
                timeout,
                held,
                ClientPair.alone(),
                shared.membership(),
                shared.time());
    }

    /** A send waits for this check, so the brokers must answer within {@code max.block.ms}. */
    private static void requireFitForNotifications(Map<String, Object> kafkas, String topic, long maxBlock) {
        // A shorter one would end each check, and the topic could never be used.
        long patience = Math.max(LEAST_MILLIS_FOR_TOPIC, Math.min(maxBlock, MOST_MILLIS_FOR_ANSWERS));
        try (Admin admin = admin(kafkas, patience)) {
            TopicPolicies.requireFitForNotifications(admin, List.of(topic), Duration.ofMillis(patience));
        }
    }

    /**
     * The topic's current number of partitions. A send waits for it, so it must arrive within
     * {@code max.block.ms}; otherwise it is 0.
     */
    static int partitionCount(Map<String, Object> kafkas, String topic, long maxBlock) {
        try (Admin admin = admin(kafkas, Math.max(1, Math.min(maxBlock, MOST_MILLIS_FOR_ANSWERS)))) {
            return TopicPolicies.partitionCount(admin, topic);
        }
    }

    private static Admin admin(Map<String, Object> kafkas, long timeoutMillis) {
        Map<String, Object> settings = ConnectionSettings.ofAdmin(kafkas, "");
        settings.remove(AdminClientConfig.CLIENT_ID_CONFIG); // Several may be open at a time.
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) timeoutMillis);
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) timeoutMillis);
        return Admin.create(settings);
    }
}
