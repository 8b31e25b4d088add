package dev.blobshuffle.springbootstarter;

import dev.blobshuffle.core.internal.instance.RunningInstances;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;

/**
 * Reports applications of the context that run natively although settings request BlobShuffle:
 * their clients come from another supplier. It starts after the factory beans, which create the
 * clients when they start. Thread-safe.
 */
final class NativeRunCheck implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(BlobShuffleAutoConfiguration.class);

    private final ObjectProvider<StreamsBuilderFactoryBean> factories;
    private final ClientSupplierPostProcessor suppliers;
    private volatile boolean isRunning;

    NativeRunCheck(ObjectProvider<StreamsBuilderFactoryBean> factories, ClientSupplierPostProcessor suppliers) {
        this.factories = factories;
        this.suppliers = suppliers;
    }

    /** The applications that run natively but should not. */
    List<String> natives() {
        List<String> open = RunningInstances.all().stream()
                .map(instance -> instance.shown().labels().getOrDefault("application", ""))
                .toList();
        return factories.stream()
                .filter(factory -> factory.isRunning() && suppliers.isWanted(factory))
                .map(NativeRunCheck::application)
                .filter(application -> !open.contains(application))
                .toList();
    }

    private static String application(StreamsBuilderFactoryBean factory) {
        Properties settings = factory.getStreamsConfiguration();
        return settings == null ? "" : String.valueOf(settings.get(StreamsConfig.APPLICATION_ID_CONFIG));
    }

    @Override
    public void start() {
        isRunning = true;
        for (String application : natives()) {
            LOG.error(
                    "Kafka Streams application {} runs natively, without BlobShuffle: its factory bean has a client"
                            + " supplier of its own. Name that class in blobshuffle.client.supplier, and do not call"
                            + " setClientSupplier.",
                    application);
        }
    }

    @Override
    public void stop() {
        isRunning = false;
    }

    @Override
    public boolean isRunning() {
        return isRunning;
    }

    /** Last, after the factory beans. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
