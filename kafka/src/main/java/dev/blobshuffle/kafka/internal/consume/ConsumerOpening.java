package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kafka.internal.client.ClientOpening;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.ClientSettings;
import dev.blobshuffle.kafka.internal.client.ConsumerWiring;
import dev.blobshuffle.kafka.internal.client.Mode;
import dev.blobshuffle.kafka.internal.client.PluginRelay;
import dev.blobshuffle.kafka.internal.client.SharedEngines;
import dev.blobshuffle.kafka.internal.client.SharedParts;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the parts of a plain application's consumer from its settings. The real consumer reads
 * bytes, does not commit by itself and has no interceptors; the wrapper does that. It fetches
 * notifications at its own pace, regardless of {@code max.poll.records}. Stateless.
 */
public final class ConsumerOpening {
    /**
     * The least number of notifications that the real consumer may return at once; the wrapper
     * counts records.
     */
    private static final int LEAST_POLL_RECORDS = 500;

    private ConsumerOpening() {}

    public static <K, V> ConsumerParts<K, V> open(
            Map<String, ?> given, @Nullable Deserializer<K> keys, @Nullable Deserializer<V> values) {
        Map<String, Object> settings = ClientSettings.resolved(given);
        refuseShareConsumer(settings);
        SharedParts shared = SharedEngines.acquire(settings);
        try {
            return parts(settings, shared, keys, values);
        } catch (RuntimeException | Error e) {
            shared.release().run();
            throw e;
        }
    }

    public static <K, V> ConsumerParts<K, V> parts(
            Map<String, ?> settings,
            SharedParts shared,
            @Nullable Deserializer<K> keys,
            @Nullable Deserializer<V> values) {
        Map<String, Object> kafkas = ClientSettings.kafkas(settings);
        ConsumerConfig config = new ConsumerConfig(ConsumerConfig.appendDeserializerToConfig(kafkas, keys, values));
        boolean autoCommit = config.getString(ConsumerConfig.GROUP_ID_CONFIG) != null
                && config.getBoolean(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG);
        int maxPollRecords = config.getInt(ConsumerConfig.MAX_POLL_RECORDS_CONFIG);
        try (ClientOpening opening = new ClientOpening(config, "consumer")) {
            Deserializer<K> ofKeys = opening.serde(
                    ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                    Deserializer.class,
                    keys,
                    (made, given) -> made.configure(given, true));
            Deserializer<V> ofValues = opening.serde(
                    ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                    Deserializer.class,
                    values,
                    (made, given) -> made.configure(given, false));
            List<ConsumerInterceptor<K, V>> interceptors = opening.interceptors(ConsumerInterceptor.class);
            ConsumerWiring wiring = new ConsumerWiring(
                    Mode.GENERAL,
                    opening.name(),
                    shared.topics(),
                    maxPollRecords,
                    ClientPair.alone(),
                    shared.watched(),
                    shared.time());
            Map<String, Object> real = opening.real(kafkas);
            real.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
            real.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
            real.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Math.max(LEAST_POLL_RECORDS, maxPollRecords));
            if (autoCommit) {
                real.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
            }
            Supplier<Consumer<byte[], byte[]>> readers = NotificationReaders.of(real);
            ConsumerInterceptorChain<K, V> chain = new ConsumerInterceptorChain<>(interceptors);
            CommitRelay.addTo(real, chain, shared.topics());
            Consumer<byte[], byte[]> delegate = new KafkaConsumer<>(
                    GroupProtocol.offering(real, shared.writes()),
                    RelayingDeserializer.of(plugins(ofKeys, ofValues, interceptors)),
                    new ByteArrayDeserializer());
            opening.succeeded();
            return new ConsumerParts<>(
                    delegate,
                    shared.engine(),
                    wiring,
                    new RecordDeserializer.Typed<>(ofKeys, ofValues),
                    chain,
                    autoCommit ? Duration.ofMillis(config.getInt(ConsumerConfig.AUTO_COMMIT_INTERVAL_MS_CONFIG)) : null,
                    Duration.ofMillis(config.getInt(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG)),
                    readers,
                    Reset.of(config.getString(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG)),
                    shared.metrics(),
                    shared.release());
        }
    }

    private static PluginRelay plugins(Deserializer<?> keys, Deserializer<?> values, List<?> interceptors) {
        Map<Object, String> plugins = new IdentityHashMap<>();
        plugins.put(keys, ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG);
        plugins.put(values, ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);
        interceptors.forEach(each -> plugins.put(each, ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG));
        return new PluginRelay(plugins);
    }

    private static void refuseShareConsumer(Map<String, ?> settings) {
        for (String name : settings.keySet()) {
            if (name.startsWith("share.")) {
                throw new InvalidSettingsException(
                        "Cannot open a consumer: " + name
                                + " belongs to share consumers, which acknowledge single records of"
                                + " the broker, and a notification stands for many. Use a consumer group, and remove the setting.");
            }
        }
    }
}
