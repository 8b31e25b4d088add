package dev.blobshuffle.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the parts of a plain application's producer from its settings. The real producer sends bytes, and has neither interceptors nor a partitioner of the
 * application; what was taken from it, the wrapper does. Stateless.
 */
final class ProducerOpening {
    private ProducerOpening() {}

    static <K, V> ProducerParts<K, V> open(
            Map<String, ?> settings, @Nullable Serializer<K> keys, @Nullable Serializer<V> values) {
        SharedParts shared = SharedEngines.acquire(settings);
        try {
            return parts(settings, shared, keys, values);
        } catch (RuntimeException e) {
            shared.release().run();
            throw e;
        }
    }

    static <K, V> ProducerParts<K, V> parts(
            Map<String, ?> settings, SharedParts shared, @Nullable Serializer<K> keys, @Nullable Serializer<V> values) {
        Map<String, Object> kafkas = ClientSettings.kafkas(settings);
        Map<String, Object> complete = new HashMap<>(kafkas);
        if (keys != null) {
            complete.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, keys.getClass());
        }
        if (values != null) {
            complete.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, values.getClass());
        }
        ProducerConfig config = new ProducerConfig(complete);
        String name = ClientSettings.clientId(config.getString(ProducerConfig.CLIENT_ID_CONFIG), "producer");
        Map<String, Object> forPlugins = ClientSettings.forPlugins(config.originals(), name);

        Map<String, Object> real = new HashMap<>(kafkas);
        real.remove(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG);
        real.remove(ProducerConfig.PARTITIONER_CLASS_CONFIG);
        real.put(ProducerConfig.CLIENT_ID_CONFIG, name);
        real.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        real.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        return new ProducerParts<>(
                new KafkaProducer<>(real),
                shared.engine(),
                name,
                wiring(config, shared),
                new RecordSerializer<>(
                        ProducerOpening.<K>serializer(
                                config, ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, keys, forPlugins),
                        ProducerOpening.<V>serializer(
                                config, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, values, forPlugins)),
                new ProducerInterceptorChain<>(ProducerOpening.<K, V>interceptors(config, name)),
                partitioning(config, forPlugins),
                topic -> requireNotCompacted(kafkas, topic),
                shared.metrics(),
                shared.release());
    }

    private static ProducerWiring wiring(ProducerConfig config, SharedParts shared) {
        boolean transactional = config.getString(ProducerConfig.TRANSACTIONAL_ID_CONFIG) != null;
        Duration notification = Duration.ofMillis(config.getInt(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG));
        Duration timeout = shared.deliveryTimeout().plus(notification);
        if (transactional) {
            // The commit itself needs some of the transaction's time.
            Duration most = Duration.ofMillis(config.getInt(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG) * 4L / 5);
            timeout = timeout.compareTo(most) < 0 ? timeout : most;
        }
        return new ProducerWiring(
                Mode.GENERAL,
                shared.topics(),
                shared.writes(),
                transactional,
                timeout,
                ClientPair.alone(),
                shared.time());
    }

    private static Partitioning partitioning(ProducerConfig config, Map<String, Object> forPlugins) {
        boolean ignored = config.getBoolean(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG);
        Partitioner custom = config.getClass(ProducerConfig.PARTITIONER_CLASS_CONFIG) == null
                ? null
                : config.getConfiguredInstance(ProducerConfig.PARTITIONER_CLASS_CONFIG, Partitioner.class, forPlugins);
        return new Partitioning(custom, ignored ? Partitioning.Keys.IGNORED : Partitioning.Keys.HASHED);
    }

    private static void requireNotCompacted(Map<String, Object> kafkas, String topic) {
        Map<String, Object> settings = new HashMap<>(kafkas);
        settings.keySet().retainAll(AdminClientConfig.configNames());
        settings.remove(AdminClientConfig.METRIC_REPORTER_CLASSES_CONFIG);
        settings.remove(AdminClientConfig.CLIENT_ID_CONFIG);
        try (Admin admin = Admin.create(settings)) {
            TopicPolicies.requireNotCompacted(admin, List.of(topic));
        }
    }

    @SuppressWarnings("unchecked") // the setting names a class for the application's type
    private static <T> Serializer<T> serializer(
            ProducerConfig config, String setting, @Nullable Serializer<T> given, Map<String, Object> forPlugins) {
        if (given != null) {
            return given;
        }
        Serializer<T> made = config.getConfiguredInstance(setting, Serializer.class);
        made.configure(forPlugins, setting.equals(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG));
        return made;
    }

    @SuppressWarnings("unchecked") // the setting names classes for the application's types
    private static <K, V> List<ProducerInterceptor<K, V>> interceptors(ProducerConfig config, String name) {
        return (List<ProducerInterceptor<K, V>>) (List<?>) config.getConfiguredInstances(
                ProducerConfig.INTERCEPTOR_CLASSES_CONFIG,
                ProducerInterceptor.class,
                Map.of(ProducerConfig.CLIENT_ID_CONFIG, name));
    }
}
