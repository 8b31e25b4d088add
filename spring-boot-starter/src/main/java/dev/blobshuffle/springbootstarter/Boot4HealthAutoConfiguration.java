package dev.blobshuffle.springbootstarter;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;

/** The health of the shuffle, in the API of Spring Boot 4. */
@AutoConfiguration(after = BlobShuffleAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("blobshuffle")
class Boot4HealthAutoConfiguration {
    Boot4HealthAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = "blobshuffleHealthIndicator")
    HealthIndicator blobshuffleHealthIndicator(ObjectProvider<NativeRunCheck> natives) {
        return () -> {
            ShuffleHealth health = ShuffleHealth.now(natives.getIfAvailable());
            return Health.status(new Status(health.level().name()))
                    .withDetails(health.details())
                    .build();
        };
    }
}
