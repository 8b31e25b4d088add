package dev.blobshuffle.kstreams;

import dev.blobshuffle.kstreams.internal.application.ApplicationSettings;
import dev.blobshuffle.kstreams.internal.application.ShuffledApplication;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.streams.KafkaClientSupplier;

/**
 * Makes the clients of {@link BlobShuffleClientSupplier} for an application that a test modifies.
 * Its subclasses are public, because Kafka Streams makes them.
 */
abstract class ApplicationSupplier implements KafkaClientSupplier, Configurable {
    private ShuffledApplication application;

    /** The application of the clients. */
    abstract ShuffledApplication application(ApplicationSettings settings);

    @Override
    public final void configure(Map<String, ?> settings) {
        application = application(ApplicationSettings.of(settings));
    }

    @Override
    public final Admin getAdmin(Map<String, Object> config) {
        return application.admin(config);
    }

    @Override
    public final Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
        return application.producer(config);
    }

    @Override
    public final Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
        return application.mainConsumer(config);
    }

    @Override
    public final Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
        return application.restoreConsumer(config);
    }

    @Override
    public final Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
        return application.globalConsumer(config);
    }
}
