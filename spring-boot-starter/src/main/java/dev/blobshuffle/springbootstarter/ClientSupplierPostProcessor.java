package dev.blobshuffle.springbootstarter;

import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.kstreams.BlobShuffleClientSupplier;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.internals.DefaultKafkaClientSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;
import org.springframework.util.ReflectionUtils;

/**
 * Sets BlobShuffle's client supplier on every {@code StreamsBuilderFactoryBean}, with
 * {@code group.protocol=streams} also the consumer wrapper, and the settings {@code blobshuffle.*}
 * of the environment. It runs after all {@code StreamsBuilderFactoryBeanConfigurer}s, so it sees
 * the final settings of the application. Settings and a client supplier that the application sets
 * on the factory bean itself take precedence. Owned by the thread that refreshes the context.
 */
final class ClientSupplierPostProcessor implements BeanPostProcessor {
    private static final Logger LOG = LoggerFactory.getLogger(BlobShuffleAutoConfiguration.class);

    /** Read by reflection, because the property has no getter. */
    private static final @Nullable Field SUPPLIER =
            ReflectionUtils.findField(StreamsBuilderFactoryBean.class, "clientSupplier", KafkaClientSupplier.class);

    private final Map<String, String> settings;

    ClientSupplierPostProcessor(ConfigurableEnvironment environment) {
        settings = EnvironmentSettings.read(environment);
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof StreamsBuilderFactoryBean factory && factory.getStreamsConfiguration() != null) {
            configure(factory, name);
        }
        return bean;
    }

    private void configure(StreamsBuilderFactoryBean factory, String name) {
        Properties all = new Properties();
        all.putAll(settings);
        all.putAll(factory.getStreamsConfiguration());
        if (!isWanted(all)) {
            LOG.warn(
                    "Kafka Streams application {} runs natively: no setting blobshuffle.store names a store. Set it,"
                            + " or remove blobshuffle-spring-boot-starter.",
                    all.get(StreamsConfig.APPLICATION_ID_CONFIG));
            return;
        }
        KafkaClientSupplier own = supplier(factory);
        if (own == null
                || own.getClass() == DefaultKafkaClientSupplier.class // Not a subclass.
                || own instanceof BlobShuffleClientSupplier) {
            factory.setStreamsConfiguration(BlobShuffleClientSupplier.addTo(all));
            factory.setClientSupplier(new BlobShuffleClientSupplier(all));
        } else {
            LOG.debug(
                    "Factory bean {} keeps its client supplier {}.",
                    name,
                    own.getClass().getName());
        }
    }

    /** Whether settings request BlobShuffle, even if they are invalid. */
    static boolean isWanted(Properties settings) {
        return settings.keySet().stream().anyMatch(key -> String.valueOf(key).startsWith(Setting.PREFIX));
    }

    /** Whether a factory bean's application must shuffle through blobs. */
    boolean isWanted(StreamsBuilderFactoryBean factory) {
        Properties own = factory.getStreamsConfiguration();
        return !settings.isEmpty() || (own != null && isWanted(own));
    }

    private static @Nullable KafkaClientSupplier supplier(StreamsBuilderFactoryBean factory) {
        if (SUPPLIER == null) {
            return null;
        }
        ReflectionUtils.makeAccessible(SUPPLIER);
        return (KafkaClientSupplier) ReflectionUtils.getField(SUPPLIER, factory);
    }
}
