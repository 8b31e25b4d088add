package dev.blobshuffle.springbootstarter;

import dev.blobshuffle.micrometer.BlobShuffleMetrics;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Publishes the metrics in the application's registries. Spring Boot binds every binder that is a
 * bean.
 */
@AutoConfiguration
class BlobShuffleMetricsAutoConfiguration {
    BlobShuffleMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    BlobShuffleMetrics blobShuffleMetrics() {
        return new BlobShuffleMetrics();
    }
}
