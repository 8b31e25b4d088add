package dev.blobshuffle.springbootstarter;

import org.apache.kafka.streams.KafkaStreams;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;

/** Configures BlobShuffle's clients for every Kafka Streams application of the context. */
@AutoConfiguration
@ConditionalOnClass({KafkaStreams.class, StreamsBuilderFactoryBean.class})
class BlobShuffleAutoConfiguration {
    BlobShuffleAutoConfiguration() {}

    @Bean
    static ClientSupplierPostProcessor blobShuffleClientSuppliers(ConfigurableEnvironment environment) {
        return new ClientSupplierPostProcessor(environment);
    }

    @Bean
    NativeRunCheck blobShuffleNativeRunCheck(
            ObjectProvider<StreamsBuilderFactoryBean> factories, ClientSupplierPostProcessor suppliers) {
        return new NativeRunCheck(factories, suppliers);
    }
}
