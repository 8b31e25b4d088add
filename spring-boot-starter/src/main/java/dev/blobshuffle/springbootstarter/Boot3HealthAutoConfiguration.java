package dev.blobshuffle.springbootstarter;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The health of the shuffle, in the API of Spring Boot 3. */
@AutoConfiguration(after = BlobShuffleAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("blobshuffle")
class Boot3HealthAutoConfiguration {
    Boot3HealthAutoConfiguration() {}

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
