package dev.blobshuffle.kstreams;

import dev.blobshuffle.kafka.retention.QuickSweeper;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.streams.KafkaClientSupplier;

/** Clients as {@link BlobShuffleClientSupplier} makes them, of an application that sweeps every few seconds. Public for Kafka Streams, which makes it. */
public final class SweptSupplier implements KafkaClientSupplier, Configurable {
    private ShuffledApplication application;

    @Override
    public void configure(Map<String, ?> settings) {
        application =
                new ShuffledApplication(ApplicationSettings.of(settings), UnaryOperator.identity(), QuickSweeper::of);
    }

    @Override
    public Admin getAdmin(Map<String, Object> config) {
        return application.admin(config);
    }

    @Override
    public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
        return application.producer(config);
    }

    @Override
    public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
        return application.mainConsumer(config);
    }

    @Override
    public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
        return application.restoreConsumer(config);
    }

    @Override
    public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
        return application.globalConsumer(config);
    }
}
