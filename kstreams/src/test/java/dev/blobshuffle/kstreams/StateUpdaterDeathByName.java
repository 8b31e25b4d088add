package dev.blobshuffle.kstreams;

import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.streams.processor.internals.DefaultKafkaClientSupplier;

/**
 * A {@link StateUpdaterDeath} for {@code blobshuffle.client.supplier}, which names a class; a
 * setting supplies the instance.
 */
public final class StateUpdaterDeathByName extends DefaultKafkaClientSupplier implements Configurable {
    static final String INSTANCE = "test.state.updater.death";

    private StateUpdaterDeath death;

    @Override
    public void configure(Map<String, ?> settings) {
        death = (StateUpdaterDeath) settings.get(INSTANCE);
    }

    @Override
    public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
        return death.getConsumer(config);
    }

    @Override
    public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
        return death.getRestoreConsumer(config);
    }
}
