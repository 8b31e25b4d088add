package dev.blobshuffle.kstreams;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kstreams.internal.application.ApplicationSettings;
import dev.blobshuffle.kstreams.internal.application.ShuffledApplication;
import dev.blobshuffle.kstreams.internal.application.SupplierCheck;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.StreamsConfig;
import org.jspecify.annotations.Nullable;

/**
 * Makes the Kafka clients of a Kafka Streams application, so that its internal repartition topics
 * shuffle through blobs. The application changes only its settings: {@code default.client.supplier}
 * names this class and {@code blobshuffle.store} names the store. With
 * {@code group.protocol=streams}, Kafka Streams makes one consumer itself;
 * {@code __internal.consumer.wrapper__} then names {@link BlobConsumerWrapper}.
 * {@link #addTo(Properties)} sets all of them. The application keeps its delivery guarantees, order
 * and results.
 *
 * <p>A supplier that is passed to the constructor of {@code KafkaStreams} takes precedence over the
 * setting. Frameworks such as Spring always pass one; there, pass an instance made with
 * {@link #BlobShuffleClientSupplier(Properties)}. If the setting has no effect, an error is logged.
 *
 * <p>The store, the memory budgets, the batches and the metrics belong to the application instance.
 * They are opened with its first client and closed with its last.
 *
 * <p>Thread-safe.
 */
public final class BlobShuffleClientSupplier implements KafkaClientSupplier, Configurable {
    static {
        // Runs when Kafka parses settings that name this class, even if it then uses another
        // supplier.
        SupplierCheck.PROCESS.start();
    }

    private @Nullable ShuffledApplication application;

    /**
     * A supplier for {@code default.client.supplier}. Kafka Streams passes it the application's
     * settings.
     */
    public BlobShuffleClientSupplier() {}

    /**
     * A supplier for the constructor of {@code KafkaStreams}.
     *
     * @param settings the same settings that the constructor gets
     * @throws InvalidSettingsException fatal: the settings cannot work; the message says what to
     *     change
     */
    @SuppressWarnings("this-escape") // the class is final
    public BlobShuffleClientSupplier(Properties settings) {
        Map<String, Object> map = new HashMap<>();
        settings.forEach((name, value) -> map.put(String.valueOf(name), value));
        settings.stringPropertyNames().forEach(name -> map.putIfAbsent(name, settings.getProperty(name)));
        configure(map);
    }

    /**
     * Adds the settings that an application needs besides {@code blobshuffle.store}: this supplier,
     * and the consumer wrapper if the group protocol requires it. A supplier that is already set
     * becomes {@code blobshuffle.client.supplier}, and its clients are wrapped.
     *
     * @param settings the application's settings, which are changed
     * @return the same settings
     */
    public static Properties addTo(Properties settings) {
        Object own = settings.get(StreamsConfig.DEFAULT_CLIENT_SUPPLIER_CONFIG);
        if (own != null && !ApplicationSettings.isClass(own, BlobShuffleClientSupplier.class.getName())) {
            settings.put("blobshuffle.client.supplier", own instanceof Class<?> type ? type.getName() : own.toString());
        }
        settings.put(StreamsConfig.DEFAULT_CLIENT_SUPPLIER_CONFIG, BlobShuffleClientSupplier.class.getName());
        if (ApplicationSettings.isStreamsProtocol(settings.get(ApplicationSettings.GROUP_PROTOCOL))) {
            settings.put(ApplicationSettings.CONSUMER_WRAPPER, ApplicationSettings.WRAPPER_CLASS);
        }
        return settings;
    }

    /**
     * Reads and checks the application's settings, and logs a warning for settings that conflict.
     *
     * @throws InvalidSettingsException fatal: the settings cannot work; the message says what to
     *     change
     */
    @Override
    public synchronized void configure(Map<String, ?> settings) {
        SupplierCheck.PROCESS.configured(String.valueOf(settings.get(StreamsConfig.APPLICATION_ID_CONFIG)));
        application = new ShuffledApplication(ApplicationSettings.of(settings));
    }

    private synchronized ShuffledApplication application() {
        ShuffledApplication configured = application;
        if (configured == null) {
            throw new InvalidSettingsException("Cannot make Kafka clients: the supplier has no settings."
                    + " Name its class in default.client.supplier, or make it with the application's settings.");
        }
        return configured;
    }

    /**
     * {@inheritDoc}
     *
     * @throws dev.blobshuffle.core.failure.BlobShuffleException fatal: the store cannot be used;
     *     the application does not start
     */
    @Override
    public Admin getAdmin(Map<String, Object> config) {
        return application().admin(config);
    }

    @Override
    public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
        return application().producer(config);
    }

    @Override
    public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
        return application().mainConsumer(config);
    }

    @Override
    public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
        return application().restoreConsumer(config);
    }

    @Override
    public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
        return application().globalConsumer(config);
    }
}
