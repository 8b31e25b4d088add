package dev.blobshuffle.springbootstarter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kstreams.BlobShuffleClientSupplier;
import dev.blobshuffle.micrometer.BlobShuffleMetrics;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.processor.internals.DefaultKafkaClientSupplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.kafka.config.KafkaStreamsConfiguration;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;
import org.springframework.util.ReflectionUtils;

/** What the context contains; {@code SpringBootIT} of the examples runs it against a broker. */
class AutoConfigurationTest {
    private static final Map<String, Object> STREAMS =
            Map.of("application.id", "orders", "bootstrap.servers", "127.0.0.1:1");

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    BlobShuffleAutoConfiguration.class,
                    BlobShuffleMetricsAutoConfiguration.class,
                    Boot3HealthAutoConfiguration.class,
                    Boot4HealthAutoConfiguration.class))
            .withUserConfiguration(Streams.class);

    @Configuration(proxyBeanMethods = false)
    static class Streams {
        @Bean
        StreamsBuilderFactoryBean streams(Environment environment) {
            Map<String, Object> settings = new HashMap<>(STREAMS);
            for (String own : new String[] {"group.protocol", "blobshuffle.batch.max.bytes"}) {
                String value = environment.getProperty("own." + own);
                if (value != null) {
                    settings.put(own, value);
                }
            }
            StreamsBuilderFactoryBean factory = new StreamsBuilderFactoryBean(new KafkaStreamsConfiguration(settings));
            factory.setAutoStartup(false);
            if (environment.containsProperty("own.supplier")) {
                factory.setClientSupplier(new OwnSupplier());
            }
            return factory;
        }
    }

    private static final class OwnSupplier extends DefaultKafkaClientSupplier {}

    private static KafkaClientSupplier supplier(StreamsBuilderFactoryBean factory) {
        Field field =
                Objects.requireNonNull(ReflectionUtils.findField(StreamsBuilderFactoryBean.class, "clientSupplier"));
        ReflectionUtils.makeAccessible(field);
        return (KafkaClientSupplier) Objects.requireNonNull(ReflectionUtils.getField(field, factory));
    }

    private static Properties settings(StreamsBuilderFactoryBean factory) {
        return Objects.requireNonNull(factory.getStreamsConfiguration());
    }

    @Test
    void aStoreIsAllThatAnApplicationSets() {
        runner.withPropertyValues("blobshuffle.store=memory://orders", "blobshuffle.batch.max-bytes=1 MiB")
                .run(context -> {
                    StreamsBuilderFactoryBean factory = context.getBean(StreamsBuilderFactoryBean.class);
                    assertThat(supplier(factory)).isInstanceOf(BlobShuffleClientSupplier.class);
                    assertThat(settings(factory))
                            .containsEntry("blobshuffle.store", "memory://orders")
                            .containsEntry("blobshuffle.batch.max.bytes", "1 MiB")
                            .doesNotContainKey("__internal.consumer.wrapper__");
                    assertThat(context).hasSingleBean(BlobShuffleMetrics.class);
                });
    }

    @Test
    void theStreamsProtocolGetsTheConsumerWrapper() {
        runner.withPropertyValues("blobshuffle.store=memory://orders", "own.group.protocol=streams")
                .run(context -> assertThat(settings(context.getBean(StreamsBuilderFactoryBean.class)))
                        .containsEntry(
                                "__internal.consumer.wrapper__", "dev.blobshuffle.kstreams.BlobConsumerWrapper"));
    }

    @Test
    void settingsOfTheFactoryBeanWin() {
        runner.withPropertyValues(
                        "blobshuffle.store=memory://orders",
                        "blobshuffle.batch.max.bytes=1 MiB",
                        "own.blobshuffle.batch.max.bytes=2 MiB")
                .run(context -> assertThat(settings(context.getBean(StreamsBuilderFactoryBean.class)))
                        .containsEntry("blobshuffle.batch.max.bytes", "2 MiB"));
    }

    @Test
    void aClientSupplierOfTheApplicationStays() {
        runner.withPropertyValues("blobshuffle.store=memory://orders", "own.supplier=yes")
                .run(context -> assertThat(supplier(context.getBean(StreamsBuilderFactoryBean.class)))
                        .isInstanceOf(OwnSupplier.class));
    }

    @Test
    void withoutSettingsTheApplicationRunsNatively() {
        runner.run(context -> assertThat(supplier(context.getBean(StreamsBuilderFactoryBean.class)))
                .isExactlyInstanceOf(DefaultKafkaClientSupplier.class));
    }

    @Test
    void aWrongKeyEndsTheStartWithTheNearestName() {
        runner.withPropertyValues("blobshuffle.store=memory://orders", "blobshuffle.batch.mx.bytes=1")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining("blobshuffle.batch.max.bytes"));
    }

    @Test
    void aMissingStoreEndsTheStart() {
        runner.withPropertyValues("blobshuffle.batch.max.bytes=1 MiB")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining("blobshuffle.store"));
    }

    @Test
    void healthIsUnknownWithoutAnInstanceAndCanBeSwitchedOff() {
        runner.withPropertyValues("blobshuffle.store=memory://orders")
                .run(context -> assertThat(
                                context.getBean(HealthIndicator.class).health().getStatus())
                        .isEqualTo(Status.UNKNOWN));
        runner.withPropertyValues("blobshuffle.store=memory://orders", "management.health.blobshuffle.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
    }
}
